@testable import Crosstie
@testable import CrosstieWormhole
import Testing

/// The layouts of stored records: their fields neither overlap nor exceed the record.
@Suite struct RecordLayoutTests {
    private func isSound<each Value>(_ size: Int, _ fields: repeat RecordField<each Value>) -> Bool {
        var taken = [Bool](repeating: false, count: size)
        var isSound = true
        func take<One>(_ field: RecordField<One>) {
            for offset in field.offset..<field.offset + MemoryLayout<One>.size {
                if !taken.indices.contains(offset) || taken[offset] { isSound = false } else { taken[offset] = true }
            }
        }
        repeat take(each fields)
        return isSound
    }

    @Test func overlapsAreFound() {
        #expect(!isSound(16, RecordField<UInt64>(0), RecordField<UInt32>(7)))
        #expect(!isSound(16, RecordField<UInt64>(9)))
        #expect(isSound(16, RecordField<UInt64>(8), RecordField<UInt64>(0)))
    }

    @Test func cursorState() {
        typealias L = CursorState.Layout
        #expect(
            isSound(
                L.size, L.format, L.count, L.identity, L.next, L.missed, L.boot, L.missedOwner, L.waitingCount,
                L.era, L.turn, L.takenIndex, L.takenTotal, L.deliveries, L.deadCount, L.boundAt, L.shelf))
    }

    @Test func cursorStateDelivery() {
        typealias L = CursorState.Delivery.Layout
        #expect(isSound(L.size, L.sequence, L.owner, L.attempts, L.since))
    }

    @Test func deadLetterRecord() {
        typealias L = DeadLetterRecord.Layout
        #expect(isSound(L.size, L.format, L.deliveries, L.time, L.sentAs))
    }

    @Test func dueTime() {
        typealias L = DueTime.Layout
        #expect(isSound(L.size, L.clock, L.era))
    }

    @Test func durableOptions() {
        typealias L = DurableOptions.Layout
        #expect(
            isSound(
                L.size, L.format, L.maximumDeliveries, L.whenFull, L.deadLetterSize, L.first, L.most, L.factor,
                L.jitter, L.maximumMessages, L.maximumSize, L.expiry))
    }

    @Test func interestRecord() {
        typealias L = InterestRecord.Layout
        #expect(isSound(L.size, L.format, L.durableCount, L.loggedIndex, L.slots, L.loggedTotal))
    }

    @Test func logBlock() {
        typealias L = LogBlock.Layout
        #expect(isSound(L.size, L.format, L.nameSize, L.count, L.pid, L.time, L.index, L.total))
    }

    @Test func logRecord() {
        typealias L = LogRecord.Layout
        #expect(isSound(L.end, L.back, L.size, L.kind, L.identifierSize))
    }

    @Test func memberRecord() {
        typealias L = MemberRecord.Layout
        #expect(
            isSound(
                L.size, L.format, L.nameSize, L.pid, L.start, L.since, L.transportID, L.consumed, L.boot,
                L.namespace))
    }

    @Test func scheduledMessage() {
        typealias L = ScheduledMessage.Layout
        #expect(isSound(L.size, L.format, L.kind, L.identifierSize, L.nameSize, L.pid, L.due, L.sent, L.reserved))
    }

    @Test func stateRecord() {
        typealias L = StateRecord.Layout
        #expect(isSound(L.size, L.format, L.kind, L.nameSize, L.pid, L.sequence, L.time))
    }

    @Test func waitingKey() {
        typealias L = WaitingKey.Layout
        #expect(isSound(L.size, L.identity, L.sequence))
    }

    @Test func waitingKeyByTime() {
        typealias L = WaitingKey.TimeLayout
        #expect(isSound(L.size, L.era, L.clock, L.sequence))
    }

    @Test func extentReference() {
        typealias L = ExtentReference.Layout
        #expect(isSound(L.end, L.mark, L.pageCount, L.maker, L.index, L.writeNumber, L.size))
    }

    @Test func storeMeta() {
        typealias L = StoreMeta.Layout
        #expect(
            isSound(
                L.size, L.format, L.tombstones, L.lastSignal, L.destroyedSequence, L.destroyedTime, L.destroyedPID,
                L.reserved, L.forgotten, L.offset, L.dropped, L.counted, L.purged, L.removedIndex, L.removedTotal,
                L.sweepPosition, L.sweepDueIndex, L.sweepDueTotal, L.sweptUpTo, L.swept))
    }

    @Test func wakeupsSlot() {
        typealias L = Wakeups.SlotLayout
        #expect(isSound(WakeupsLayout.memberStride, L.pid, L.nameSize, L.start, L.since, L.namespace, L.reader))
    }
}
