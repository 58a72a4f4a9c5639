import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// How the log keeps what was queued: the messages of a batch together, and what becomes of a part of them.
@Suite struct LogTests {
    private let scratch = Scratch()

    private func queue(
        _ wormhole: Wormhole, durable: Bool = false, manual: Int? = nil, _ body: @escaping @Sendable (Message) -> Void
    ) throws -> Listener {
        var options = Wormhole.QueueOptions()
        options.isDurable = durable
        options.isManual = manual != nil
        options.maximumUnacknowledged = manual
        return try wormhole.queue("jobs.*", name: "worker", options: options, body)
    }

    private func values(_ messages: [Message]) -> [Value?] { messages.filter { $0.kind == .value }.map(\.value) }

    /// Of `count` messages, every third under `jobs.c`.
    private func batch(_ count: Int) -> [Wormhole.Outgoing] {
        (0..<count).map { .value(["jobs.a", "jobs.b", "jobs.c"][$0 % 3], .int(Int64($0))) }
    }

    /// The log keeps 40 messages, and a durable consumer had not heard any of 100.
    private func withMoreThanIsKept() throws -> Wormhole {
        var options = scratch.options()
        options.maximumQueued = 40
        let wormhole = try Wormhole("test", options: options)
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        try wormhole.send(many: batch(100))
        return wormhole
    }

    @Test func aBatchStandsInAFewBlocksAndIsClaimedInParts() throws {
        let wormhole = try scratch.open()
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        try wormhole.send(many: batch(1000))
        let log = try wormhole.logged()
        #expect(log.messages == 1000 && log.blocks < 50)
        let ear = Ear()
        let listener = try queue(wormhole, durable: true, manual: 7) { message in
            ear.hear(message)
            message.acknowledge()
        }
        #expect(values(ear.wait(for: 1000)) == (0..<1000).map { .int($0) })
        #expect(ear.messages.map(\.sequence) == Array(1...1000) && ear.messages.allSatisfy { $0.deliveryCount == 1 })
        _ = listener
    }

    @Test func messagesThatNobodyWantsStandInBetween() throws {
        let wormhole = try scratch.open()
        let ear = Ear()
        let listener = try queue(wormhole) { ear.hear($0) }
        let wanted: [Wormhole.Outgoing] = [.value("jobs.a", 1), .signal("jobs.b"), .value("jobs.a", 2)]
        let unwanted: [Wormhole.Outgoing] = [.value("other", 0), .signal("jobs")]
        try wormhole.send(many: unwanted + wanted + unwanted + wanted + unwanted)
        #expect(ear.wait(for: 6).map(\.sequence) == [3, 4, 5, 8, 9, 10])
        #expect(values(ear.messages) == [1, 2, 1, 2])
        _ = listener
    }

    @Test func aValueLargerThanABlockHasOneForItself() throws {
        let wormhole = try scratch.open()
        let ear = Ear()
        let listener = try queue(wormhole) { ear.hear($0) }
        let large = Value.bytes([UInt8](repeating: 7, count: 5000))
        try wormhole.send(many: [.value("jobs.a", 1), .value("jobs.a", large), .value("jobs.a", 2)])
        #expect(values(ear.wait(for: 3)) == [1, large, 2])
        _ = listener
    }

    @Test func theLimitCutsThroughABlock() throws {
        let wormhole = try withMoreThanIsKept()
        #expect(try wormhole.logged().messages == 40)
        let ear = Ear()
        let listener = try queue(wormhole, durable: true) { ear.hear($0) }
        #expect(values(ear.waitForSequence(100)) == (60..<100).map { .int($0) })
        #expect(ear.messages.first?.missed == 60)
        _ = listener
    }

    /// Who is gone before it was told of what it missed leaves that to the next one.
    @Test func whatWasMissedIsToldByTheNextOne() throws {
        let wormhole = try withMoreThanIsKept()
        let topic = try Array("jobs.*".utf8).withBytes { bytes throws(CrosstieError) in try Topic(bytes) }
        let feed = DurableFeed(
            CursorKey(topic, name: Array("worker".utf8)), of: wormhole.core.group,
            memberSlot: MemberSlot(5, of: wormhole.core.group), options: ListenOptions(), timeout: 1_000_000_000)
        try feed.start()
        var collected = Batch()
        try feed.collect(into: &collected)
        #expect(collected.messages.first?.missed == 60)
        feed.end()
        let ear = Ear()
        let listener = try queue(wormhole, durable: true) { ear.hear($0) }
        #expect(ear.waitForSequence(100).first?.missed == 60)
        #expect(values(ear.messages) == (60..<100).map { .int($0) })
        _ = listener
    }

    /// What somebody needs stays, and what lies behind that goes: whole blocks, and parts of them.
    @Test func whatNobodyNeedsGoesFromBehindWhatIsNeeded() throws {
        let wormhole = try scratch.open()
        _ = try wormhole.queue("jobs.a", name: "worker", options: durableOptions) { _ in }
        wormhole.removeListeners()
        let ear = Ear()
        let listener = try wormhole.queue("jobs.b") { ear.hear($0) }
        for _ in 0..<10 { try wormhole.send(many: batch(30)) }
        for number in 0..<20_000 {
            try wormhole.send("jobs.b", .int(Int64(number)))
            if number % 500 == 0 { _ = ear.wait(for: 100 + number) }
        }
        #expect(try wormhole.logged().messages < 4000)
        let next = Ear()
        let second = try wormhole.queue("jobs.a", name: "worker", options: durableOptions) { next.hear($0) }
        #expect(next.wait(for: 100).allSatisfy { $0.kind == .value })
        _ = (listener, second)
    }

    private var durableOptions: Wormhole.QueueOptions {
        var options = Wormhole.QueueOptions()
        options.isDurable = true
        return options
    }

    @Test func whatIsDestroyedGoesAndItsNeighboursStay() throws {
        let wormhole = try scratch.open()
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        try wormhole.send(many: batch(300))
        try wormhole.destroy("jobs.b")
        #expect(try wormhole.logged().messages == 201)
        let ear = Ear()
        let listener = try queue(wormhole, durable: true) { ear.hear($0) }
        let delivered = ear.waitForSequence(301)
        #expect(values(delivered) == (0..<300).filter { $0 % 3 != 1 }.map { .int($0) })
        #expect(delivered.last?.kind == .destroyed && delivered.first?.missed == 100)
        #expect(delivered.filter { $0.kind == .missed }.count == 1)
        _ = listener
    }

    /// Who has it has heard it; of what nobody had the number is told.
    @Test func whatIsDestroyedWhileSomebodyHasItIsNotMissed() throws {
        let wormhole = try scratch.open()
        let ear = Ear()
        let first = try queue(wormhole, durable: true, manual: 10) { ear.hear($0) }
        try wormhole.send(many: batch(30))
        #expect(ear.wait(for: 10).count == 10)
        try wormhole.destroy("jobs.b")
        first.remove()
        let next = Ear()
        let second = try queue(wormhole, durable: true) { next.hear($0) }
        let delivered = next.waitForSequence(31)
        #expect(values(delivered) == (0..<30).filter { $0 % 3 != 1 }.map { .int($0) })
        #expect(delivered.reduce(0) { $0 + $1.missed } == 7)
        _ = second
    }

    /// What it had heard before it was destroyed does not make up for what is gone.
    @Test(arguments: [false, true]) func whatIsMissedIsCountedThoughSomeWasDestroyed(fromOldest: Bool) throws {
        var options = scratch.options()
        options.maximumQueued = 64
        let wormhole = try Wormhole("test", options: options)
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        if fromOldest { for _ in 0..<20 { try wormhole.send("jobs.a", 0) } }
        let (ear, gate) = (Ear(), Flag())
        var live = Wormhole.QueueOptions()
        live.fromOldest = fromOldest
        let listener = try wormhole.queue("jobs.*", options: live) { message in
            ear.hear(message)
            if message.identifier == "jobs.b" { gate.wait() }
        }
        for _ in 0..<20 { try wormhole.send("jobs.a", 0) }
        try wormhole.send("jobs.b", 0)
        #expect(ear.wait { $0.identifier == "jobs.b" } != nil)
        try wormhole.destroy("jobs.a")
        for _ in 0..<98 { try wormhole.send("jobs.b", 1) }
        gate.set()
        let sent: UInt64 = (fromOldest ? 40 : 20) + 1 + 1 + 98
        let delivered = ear.waitForSequence(sent)
        #expect(UInt64(delivered.filter { $0.kind != .missed }.count) + delivered.reduce(0) { $0 + $1.missed } == sent)
        #expect(delivered.contains { $0.kind == .missed })
        _ = listener
    }

    /// Two listeners, held up at different times while the limit drops what they have not heard: each hears, or is told
    /// that it missed, as many messages as were passed.
    @Test(arguments: 0..<8) func whatIsMissedIsCounted(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var options = scratch.options()
        options.maximumQueued = 40
        let wormhole = try Wormhole("test", options: options)
        let pairs = [(Ear(), Flag()), (Ear(), Flag())]
        var listeners: [Listener] = []
        for (ear, gate) in pairs {
            var options = Wormhole.QueueOptions()
            options.isDurable = false
            listeners.append(
                try wormhole.queue("jobs.*", options: options) { message in
                    ear.hear(message)
                    if message.kind == .value, message.value == -1 { gate.wait() }
                })
        }
        var count: UInt64 = 0
        for _ in 0..<Int.random(in: 2...20, using: &random) {
            let size = Int.random(in: 1...60, using: &random)
            // The first message of all holds both up.
            let messages: [Wormhole.Outgoing] = (0..<size).map { .value("jobs.a", .int(count == 0 ? -1 : Int64($0))) }
            if Bool.random(using: &random) {
                try wormhole.send(many: count == 0 ? [messages[0]] : messages)
                count += count == 0 ? 1 : UInt64(size)
            } else {
                try wormhole.send("jobs.a", .int(count == 0 ? -1 : 0))
                count += 1
            }
            if Int.random(in: 0..<6, using: &random) == 0 { pairs[0].1.set() }
        }
        for (_, gate) in pairs { gate.set() }
        for (ear, _) in pairs {
            let delivered = ear.waitForSequence(count)
            let missed = delivered.reduce(0) { $0 + $1.missed }
            #expect(UInt64(values(delivered).count) + missed == count)
        }
    }
}
