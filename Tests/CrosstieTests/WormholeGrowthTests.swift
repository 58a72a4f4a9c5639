internal import Glibc
import Synchronization
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// A store that becomes larger as it fills.
@Suite struct WormholeGrowthTests {
    let scratch = Scratch()

    private func open(fast: Bool = false, upTo maximum: UInt64 = 16 << 20) throws(CrosstieError) -> Wormhole {
        var options = scratch.options()
        options.mapSize = 1 << 20
        options.maximumMapSize = maximum
        options.isFast = fast
        return try Wormhole("test", options: options)
    }

    private func value(_ number: Int) -> Value { .bytes([UInt8](repeating: UInt8(number & 0xFF), count: 30_000)) }

    /// Sends until there is no room; gives how many there are then.
    private func fill(_ wormhole: Wormhole, limit: Int) -> (count: Int, status: Status) {
        for number in 0..<limit {
            let status = status { try wormhole.send("n.\(number)", value(number)) }
            if status != .ok { return (number, status) }
        }
        return (limit, .ok)
    }

    private func isWhole(_ wormhole: Wormhole, _ count: Int) throws -> Bool {
        try (0..<count).allSatisfy { try wormhole.message("n.\($0)")?.value == value($0) }
    }

    private func size(of wormhole: Wormhole) -> UInt64 { wormhole.core.group.wakeups.storeSize }

    private var fileSize: Int {
        var status = stat()
        stat(scratch.group + "/data.mdb", &status)
        return status.st_size
    }

    @Test(arguments: [false, true])
    func storeGrowsAsItFills(isFast: Bool) throws {
        let wormhole = try open(fast: isFast)
        let inbox = Inbox()
        let listener = try wormhole.listen("n.*") { inbox.receive($0) }
        try wormhole.send("n.0", value(0))
        #expect(try wormhole.message("n.0")?.value == value(0))
        #expect(fill(wormhole, limit: 200) == (200, .ok))
        #expect(size(of: wormhole) == 8 << 20 && fileSize == 8 << 20)
        #expect(try isWhole(wormhole, 200))
        #expect(inbox.waitForSequence(201).last?.value == value(199))
        _ = listener
        wormhole.close()
        let again = try scratch.open()
        #expect(try size(of: again) == 8 << 20 && isWhole(again, 200))
    }

    @Test(arguments: [false, true])
    func storeGrowsNoFurtherThanItMay(isFast: Bool) throws {
        let wormhole = try open(fast: isFast, upTo: 3 << 20)
        let (count, status) = fill(wormhole, limit: 1000)
        #expect(status == .noSpace && count > 60)
        #expect(try fileSize == 3 << 20 && isWhole(wormhole, count))
        for number in 0..<count / 2 { try wormhole.destroy("n.\(number)") }
        #expect(fill(wormhole, limit: count / 4) == (count / 4, .ok))
    }

    @Test(arguments: [false, true])
    func oneStepMayNeedMoreThanTwice(isFast: Bool) throws {
        var options = scratch.options()
        options.mapSize = 1 << 20
        options.maximumValueSize = 64 << 20
        options.isFast = isFast
        let wormhole = try Wormhole("test", options: options)
        let large = Value.bytes([UInt8](repeating: 5, count: 40 << 20))
        try wormhole.send("large", large)
        #expect(try wormhole.message("large")?.value == large)
    }

    /// One that died between taking the room and telling of it.
    @Test(arguments: [false, true])
    func fileThatIsLongerThanAnybodyKnows(isFast: Bool) throws {
        let wormhole = try open(fast: isFast)
        #expect(fill(wormhole, limit: 10) == (10, .ok))
        truncate(scratch.group + "/data.mdb", 5_000_000)
        #expect(fill(wormhole, limit: 200) == (200, .ok))
        truncate(scratch.group + "/data.mdb", 33_333_333)
        wormhole.close()
        let again = try open(fast: isFast)
        #expect(try isWhole(again, 200))
        #expect(fill(again, limit: 400) == (400, .ok))
        #expect(try isWhole(again, 400))
    }

    @Test(
        arguments: [
            (4 << 20, .unsafeFile), (1 << 19, .corruptData), ((1 << 20) + 1, .corruptData), (.max, .corruptData),
            (0, .corruptData),
        ]
            as [(UInt64, Status)])
    func publishedSizeThatIsWrong(size: UInt64, expected: Status) throws {
        let wormhole = try open()
        try wormhole.send("a", 1)
        let wakeups = wormhole.core.group.wakeups
        wakeups.mapSize.pointee.store(size, ordering: .releasing)
        #expect(status { try wormhole.send("a", 2) } == expected)
        #expect(try wormhole.message("a")?.value == 1)
        wakeups.mapSize.pointee.store(1 << 20, ordering: .releasing)
        try wormhole.send("a", 3)
        #expect(try wormhole.message("a")?.value == 3)
    }

    @Test func storeThatIsLargerThanReported() throws {
        let wormhole = try open()
        #expect(fill(wormhole, limit: 100) == (100, .ok))
        wormhole.close()
        scratch.overwrite("wakeups", at: WakeupsLayout.mapSizeOffset, with: withUnsafeBytes(of: 1 << 20, Array.init))
        #expect(scratch.openFailure() == .corruptData)
    }
}

/// Transactions and changes of the map, apart.
@Suite struct MapGateTests {
    /// The state that several threads share.
    private final class Shared: @unchecked Sendable {
        let gate = MapGate()
        let insideCount = Atomic(0)
        let isChanging = Atomic(false)
        let wrongs = Atomic(0)

        func read() {
            guard (try? gate.enterReading()) != nil else { return }
            look()
            gate.leaveReading()
        }

        func write() {
            guard (try? gate.enterWriting()) != nil else { return }
            look()
            gate.leaveWriting()
        }

        private func look() {
            insideCount.add(1, ordering: .sequentiallyConsistent)
            if isChanging.load(ordering: .sequentiallyConsistent) { wrongs.add(1, ordering: .relaxed) }
            insideCount.subtract(1, ordering: .sequentiallyConsistent)
        }

        func change() {
            try? gate.whileClosed { () throws(CrosstieError) in
                isChanging.store(true, ordering: .sequentiallyConsistent)
                for _ in 0..<100 where insideCount.load(ordering: .sequentiallyConsistent) != 0 {
                    wrongs.add(1, ordering: .relaxed)
                }
                isChanging.store(false, ordering: .sequentiallyConsistent)
            }
        }
    }

    @Test func nobodyIsInsideWhileTheMapChanges() {
        ProcessState.prepare()
        let shared = Shared()
        let (isOver, finished) = (Flag(), Counter())
        for body in [{ shared.read() }, { shared.read() }, { shared.write() }] as [@Sendable () -> Void] {
            inThread {
                while !isOver.isSet { body() }
                finished.add()
            }
        }
        for _ in 0..<500 { shared.change() }
        isOver.set()
        while finished.count < 3 { usleep(100) }
        #expect(shared.wrongs.load(ordering: .relaxed) == 0)
        shared.gate.free()
    }

    @Test func lostMapIsAnErrorForEver() throws {
        ProcessState.prepare()
        let shared = Shared()
        try shared.gate.whileClosed { () throws(CrosstieError) in shared.gate.lose() }
        #expect(status { try shared.gate.enterReading() } == .outOfMemory)
        #expect(status { try shared.gate.enterWriting() } == .outOfMemory)
        shared.gate.free()
    }
}
