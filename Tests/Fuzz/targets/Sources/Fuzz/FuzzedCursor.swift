@testable import Crosstie
@testable import CrosstieWormhole

/// The record of a durable consumer, then the steps of its listeners, a byte for each. Deliveries are in order and bounded
/// whatever the answers are, waiting messages are counted, and each state can be stored.
struct FuzzedCursor {
    private static let boot: UInt64 = 7
    private static let owners: [UInt64] = [1, 0x2200]

    private var cursor: CursorState
    /// The messages that the steps have made wait.
    private var waiting: [WaitingMessage] = []

    static func run(_ input: UnsafeRawBufferPointer) {
        let pieces = Pieces.of(input, limit: 2)
        guard let record = pieces.first else { return }
        do throws(CrosstieError) {
            var fuzzed = FuzzedCursor(cursor: try CursorState(record, boot: boot))
            checkRecord(fuzzed.cursor, record)
            for step in pieces.dropFirst().flatMap({ $0.prefix(128) }).enumerated() {
                fuzzed.take(step.element, step.offset)
                checkState(fuzzed.cursor)
            }
            let cursor = fuzzed.cursor
            demand(try stored(cursor) == cursor, "\(cursor) is not the same when it has been stored")
        } catch {
            demand(error.status == .corruptData, "\(error)")
        }
    }

    private static func stored(_ cursor: CursorState) throws(CrosstieError) -> CursorState {
        let bytes = written(cursor.encodedSize) { cursor.write(into: $0, boot: boot) }
        return try bytes.withBytes { bytes throws(CrosstieError) in try CursorState(bytes, boot: boot) }
    }

    /// A record of this boot comes out as it went in; in one of another nobody has anything.
    private static func checkRecord(_ cursor: CursorState, _ record: UnsafeRawBufferPointer) {
        let again = written(cursor.encodedSize) { cursor.write(into: $0, boot: boot) }
        if record.after(32).number() == boot {
            demand(again.elementsEqual(record), "written again it is \(again)")
        } else {
            demand(cursor.owners.isEmpty, "somebody of an earlier boot has messages")
        }
        checkState(cursor)
    }

    private static func checkState(_ cursor: CursorState) {
        demand(cursor.outstanding.count <= CursorState.maximumOutstanding, "\(cursor.outstanding.count) are given out")
        var last: UInt64 = 0
        for delivery in cursor.outstanding {
            demand(delivery.sequence > last && delivery.sequence <= cursor.next, "\(delivery) is out of order")
            demand(cursor.needs(delivery.sequence), "\(delivery) is not needed")
            last = delivery.sequence
        }
    }

    private mutating func missed(_ step: UInt8, _ owner: UInt64) {
        let before = cursor.missed
        if step & 16 == 0 {
            let claimed = cursor.claimMissed(by: owner)
            demand(claimed == 0 || claimed == before && cursor.missedOwner == owner, "\(claimed) of \(before)")
        } else {
            reconcile(0, .missed(reported: UInt64(step)), owner)
            demand(cursor.missed <= before && cursor.missedOwner != owner, "an owner goes on reporting")
        }
    }

    private mutating func reconcile(_ sequence: UInt64, _ outcome: Answer.Outcome, _ owner: UInt64) {
        let before = (cursor.waitingCount, waiting.count)
        var options = DurableOptions()
        options.maximumDeliveries = 3
        var failed = CursorState.Failed()
        let since = cursor.outstanding.first { $0.sequence == sequence }?.since ?? 0
        _ = cursor.reconcile([Answer(sequence: sequence, since: since, outcome: outcome)], of: owner, options, &failed)
        waiting += failed.waiting
        demand(failed.dead.allSatisfy { !cursor.needs($0.delivery.sequence) }, "a dead letter is in somebody's hands")
        let count = UInt64(waiting.count - before.1)
        demand(cursor.waitingCount == before.0 &+ count, "\(cursor.waitingCount) wait, and \(count) more did")
    }

    /// The last one that was made to wait, or one that the record may tell of.
    private mutating func claimWaiting(_ step: UInt8, _ owner: UInt64) {
        let before = cursor
        let due = DueTime(era: 0, clock: 0)
        let next = waiting.popLast() ?? WaitingMessage(sequence: UInt64(step >> 3), attempts: .max, due: due)
        let delivery = cursor.claim(next, by: owner)
        demand(delivery.map { $0.owner == owner && $0.sequence == next.sequence } ?? (cursor == before), "it is lost")
        demand(delivery == nil || cursor.waitingCount == before.waitingCount - 1, "it waits still")
    }

    private mutating func claimGivenBack(_ limit: Int, _ owner: UInt64) {
        let claimed = cursor.claimGivenBack(by: owner, limit: limit)
        demand(claimed.count <= limit && claimed.allSatisfy { $0.owner == owner }, "too many are given out")
    }

    private mutating func take(_ step: UInt8, _ number: Int) {
        let owner = FuzzedCursor.owners[number % 2]
        let known =
            cursor.outstanding.isEmpty
            ? cursor.next : cursor.outstanding[Int(step >> 3) % cursor.outstanding.count].sequence
        switch step & 7 {
        case 0: _ = cursor.claim(cursor.next &+ UInt64(step >> 3), by: owner)
        case 1: cursor.advance(to: cursor.next &+ UInt64(step >> 3))
        case 2 where step & 8 == 0: claimGivenBack(Int(step >> 4), owner)
        case 2: claimWaiting(step, owner)
        case 3: reconcile(known, .acknowledged, owner)
        case 4 where step & 8 == 0: reconcile(known, .rejected(Answer.Rejection(time: UInt64(step), pause: 0)), owner)
        case 4: reconcile(known, .left, owner)
        case 5: reconcile(known, .removed(isMissed: step & 8 != 0), owner)
        case 6 where step & 8 == 0: cursor.drop(cursor.next &+ 1)
        case 6 where step & 32 == 0: missed(step, owner)
        case 6: cursor.loseWaiting()
        default:
            cursor.free { $0 == owner }
            demand(!cursor.owners.contains(owner), "the dead have messages")
        }
    }
}
