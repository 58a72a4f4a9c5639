internal import Glibc
import Synchronization
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// The options that the creator of a store decides, and the promises about its messages.
@Suite struct WormholeStoreTests {
    let scratch = Scratch()

    private func open(_ change: (inout WormholeOptions) -> Void) throws(CrosstieError) -> Wormhole {
        var options = scratch.options()
        change(&options)
        return try Wormhole("test", options: options)
    }

    // MARK: Options

    @Test func creatorDecides() throws {
        let first = try open {
            $0.maximumMapSize = 8 << 20
            $0.maximumQueued = 10
            $0.maximumQueuedSize = 2000
        }
        func check(_ wormhole: Wormhole) {
            let limits = wormhole.core.group.limits
            #expect(limits.mapSize == 8 << 20 && limits.queuedCount == 10 && limits.queuedSize == 2000)
        }
        check(first)
        first.close()
        check(
            try open {
                $0.mapSize = 4 << 20
                $0.maximumMapSize = 32 << 20
                $0.maximumQueued = 11
                $0.isFast = true
            })
    }

    @Test func limitsThatNobodyChose() throws {
        let limits = try scratch.open().core.group.limits
        #expect(limits.mapSize == 1 << 30 && limits.queuedCount == 1 << 20 && limits.queuedSize == 1 << 28)
        var large = WormholeOptions()
        large.mapSize = 2 << 30
        #expect(large.limits.mapSize == 2 << 30 && large.limits.queuedSize == 1 << 29)
    }

    @Test func impossibleChoicesAreRefused() {
        #expect(status { _ = try open { $0.maximumMapSize = 1 << 20 } } == .limitExceeded)
        #expect(status { _ = try open { $0.maximumMapSize = 65 << 30 } } == .limitExceeded)
        #expect(status { _ = try open { $0.maximumQueued = 0 } } == .limitExceeded)
        #expect(status { _ = try open { $0.maximumQueuedSize = 0 } } == .limitExceeded)
        let contradiction = status {
            _ = try open {
                $0.isFast = true
                $0.durability = .system
            }
        }
        #expect(contradiction == .invalidArgument)
    }

    @Test(
        arguments: [
            (WakeupsLayout.maximumMapSizeOffset, .max), (WakeupsLayout.maximumMapSizeOffset, 1 << 20),
            (WakeupsLayout.queuedCountOffset, 0), (WakeupsLayout.queuedSizeOffset, 0),
            (WakeupsLayout.mapSizeOffset, (2 << 20) + 1), (WakeupsLayout.mapSizeOffset, 0),
        ] as [(Int, UInt64)])
    func choicesThatWereOverwritten(offset: Int, value: UInt64) throws {
        try scratch.makeGroup()
        scratch.overwrite("wakeups", at: offset, with: withUnsafeBytes(of: value, Array.init))
        #expect(scratch.openFailure() == .corruptData)
    }

    @Test func flagsOfNoKnownKind() throws {
        try scratch.makeGroup()
        scratch.overwrite("wakeups", at: WakeupsLayout.flagsOffset, with: [3])
        #expect(scratch.openFailure() == .corruptData)
    }

    // MARK: System durability

    @Test func storeOfProcessDurabilityPromisesNoMore() throws {
        let process = try scratch.open()
        #expect(status { _ = try open { $0.durability = .system } } == .conflict)
        process.close()
        #expect(status { _ = try open { $0.durability = .system } } == .conflict)
        #expect(scratch.openFailure() == .ok)
    }

    @Test func storeOfSystemDurabilityIsAdopted() throws {
        let system = try open { $0.durability = .system }
        let plain = try scratch.open()
        try plain.send("a", 1)
        #expect(try system.message("a")?.value == 1)
        #expect(plain.core.group.wakeups.flags == StoreFlags.system)
    }

    @Test func bootSaysNothingAboutAStoreOfSystemDurability() throws {
        let system = try open { $0.durability = .system }
        try system.send("kept", 7)
        system.close()
        scratch.overwrite("wakeups", at: WakeupsLayout.bootOffset, with: [UInt8](repeating: 3, count: 16))
        scratch.overwrite("wakeups", at: WakeupsLayout.cleanOffset, with: [0])
        #expect(try scratch.open().message("kept")?.value == 7)
    }

    @Test func deadlinesHoldWhileTheGroupIsTaken() throws {
        let system = try open {
            $0.durability = .system
            $0.timeoutMilliseconds = 20
        }
        let finished = Counter()
        let (taken, done) = (Flag(), Flag())
        let group = Held(system.core.group)
        inThread {
            try? group.value.lockWriters(timeout: 1_000_000_000)
            taken.set()
            done.wait()
            group.value.unlockWriters()
            finished.add(100)
        }
        taken.wait()
        for number in 0..<8 {
            inThread {
                #expect(status { try system.send("n.\(number)", 1) } == .timedOut)
                finished.add()
            }
        }
        while finished.count < 8 { usleep(100) }
        done.set()
        while finished.count < 108 { usleep(100) }
        #expect(try system.send("a", 1).sequence == 1)
    }

    @Test func severalAtOnceAreWrittenAsIfAlone() throws {
        let system = try open { $0.durability = .system }
        let sequences = Mutex<Set<UInt64>>([])
        let finished = Counter()
        for thread in 0..<16 {
            inThread {
                for _ in 0..<20 {
                    guard let sent = try? system.send("n.\(thread)", 1) else { continue }
                    sequences.withLock { _ = $0.insert(sent.sequence) }
                }
                finished.add()
            }
        }
        while finished.count < 16 { usleep(1000) }
        #expect(sequences.withLock { $0 } == Set(1...320))
        #expect(try system.send("a", 1).sequence == 321)
    }
}

/// A value that a test hands to a thread.
private struct Held<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
