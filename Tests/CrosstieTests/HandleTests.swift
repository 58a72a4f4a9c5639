import Synchronization
import Testing

@testable import Crosstie

@Suite struct HandleTests {
    @Test func aHandleSaysWhatItIs() {
        let handle = Handle(.registration, index: 77, generation: 5)
        #expect(handle.index == 77 && handle.generation == 5)
        #expect(handle.isKind(.registration) && !handle.isKind(.request))
    }

    @Test(arguments: [0, 8, UInt.max, 0x7FFF_DEAD_BEE0, 0xDEAD_BEEF_1000_0108, 0x1_1FFF_FFF8])
    func garbageIsDead(_ bits: UInt) {
        guard case .dead = BusRecord.resolve(Handle(bits: bits)) else {
            Issue.record("\(bits) passed for a bus")
            return
        }
    }

    @Test func aStaleHandleStaysDeadWhenItsRecordIsUsedAgain() throws {
        let first = try BusRecord.make(BusOptions())
        #expect(BusRecord.close(first) == .ok)
        var later: [Handle] = []
        for _ in 0..<8 { later.append(try BusRecord.make(BusOptions())) }
        #expect(BusRecord.close(first) == .invalidHandle)
        for handle in later { #expect(BusRecord.close(handle) == .ok) }
    }

    @Test func theStorageHoldsTheProcessState() {
        #expect(MemoryLayout<ProcessState>.size <= 4096)
    }

    @Test func theBlocksPartsDoNotOverlap() {
        #expect(MemoryLayout<RequestBlock>.size <= RequestBlock.Layout.segments)
        #expect(RequestBlock.Layout.textCapacity >= 512)
        #expect(RequestBlock.Layout.text % 16 == 0 && RequestBlock.Layout.stride % 64 == 0)
    }

    @Test func waitersSleepOnTheBlocksOwnWord() throws {
        let bus = try BusRecord.make(BusOptions())
        defer { _ = BusRecord.close(bus) }
        guard case .live(let record) = BusRecord.resolve(bus),
            let block = RequestBlock.make(.open, on: ThreadSlot.current, bus: record, handle: bus)
        else {
            Issue.record("no block")
            return
        }
        defer { block.drop() }
        let word = UnsafeRawPointer(block) + MemoryLayout<RecordHeader>.stride
        #expect(block.pointee.completionWord.withAddress { $0 } == word)
        #expect(word.load(as: UInt32.self) == 0)
        #expect(holds(block.pointee.completionWord.completeAlone()))
        #expect(word.load(as: UInt32.self) == 2)
    }

    @Test func theFutexWordIsWhereAWorkerIsCalled() {
        let slot = ThreadSlot.current
        let word = (UnsafeRawPointer(slot) + ThreadSlot.callWord).assumingMemoryBound(to: UInt32.self)
        slot.pointee.isCalled.store(7, ordering: .relaxed)
        #expect(word.pointee == 7)
    }
}

@Suite struct RegistrationTests {
    @Test func unregisteringWaitsForARunningCall() throws {
        let bus = try Bus()
        let isInside = Flag()
        let isDone = Flag()
        let route = try bus.route("app://x") { _ in
            isInside.set()
            Clock.sleep(nanoseconds: 5_000_000)
            isDone.set()
            return nil
        }
        let call = try bus.openAsync("app://x")
        isInside.wait()
        #expect(route.remove() == .ok)
        #expect(isDone.isSet)
        #expect(try call.wait().status == .ok)
    }

    @Test func removingOneselfIsDeferredAndDestroysOnce() throws {
        let bus = try Bus()
        for _ in 0..<200 {
            let own = Mutex<Registration?>(nil)
            let witness = Witness()
            let deaths = witness.deaths
            let route = try bus.route("app://x") { [witness] _ in
                _ = witness
                #expect(own.withLock { $0?.remove() } == .pending)
                #expect(deaths.count == 0)
                return nil
            }
            own.withLock { $0 = route }
            _ = try bus.open("app://x")
            #expect(route.remove() == .invalidHandle)
        }
    }

    @Test func removalRacesWithCallsAndNothingRunsAfterwards() throws {
        let bus = try Bus(options: BusOptions(maximumWorkers: 2))
        let isStopped = Flag()
        let opener = Flag()
        inThread {
            while !isStopped.isSet { _ = try? bus.open("app://x") }
            opener.set()
        }
        for _ in 0..<2000 {
            let hasEnded = Flag()
            let route = try bus.route("app://x") { _ in
                #expect(!hasEnded.isSet)
                return nil
            }
            #expect(route.remove() == .ok)
            hasEnded.set()
        }
        isStopped.set()
        opener.wait()
    }
}

/// Counts how often what holds it was destroyed.
private final class Witness: Sendable {
    let deaths = Counter()

    deinit { deaths.add() }
}
