import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// The log of queued messages: the messages of a batch in common blocks, and the removal of some of them.
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

    /// The log keeps 40 messages, and a durable consumer has yet to receive all of 100.
    private func withMoreThanIsKept() throws -> Wormhole {
        var options = scratch.options()
        options.maximumQueued = 40
        let wormhole = try Wormhole("test", options: options)
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        try wormhole.send(many: batch(100))
        return wormhole
    }

    @Test func batchTakesAFewBlocksAndIsClaimedInParts() throws {
        let wormhole = try scratch.open()
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        try wormhole.send(many: batch(1000))
        let log = try wormhole.logged()
        #expect(log.messages == 1000 && log.blocks < 50)
        let inbox = Inbox()
        let listener = try queue(wormhole, durable: true, manual: 7) { message in
            inbox.receive(message)
            message.acknowledge()
        }
        #expect(values(inbox.wait(for: 1000)) == (0..<1000).map { .int($0) })
        #expect(
            inbox.messages.map(\.sequence) == Array(1...1000) && inbox.messages.allSatisfy { $0.deliveryCount == 1 })
        _ = listener
    }

    @Test func unneededMessagesInBetween() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        let listener = try queue(wormhole) { inbox.receive($0) }
        let wanted: [Wormhole.Outgoing] = [.value("jobs.a", 1), .signal("jobs.b"), .value("jobs.a", 2)]
        let unwanted: [Wormhole.Outgoing] = [.value("other", 0), .signal("jobs")]
        try wormhole.send(many: unwanted + wanted + unwanted + wanted + unwanted)
        #expect(inbox.wait(for: 6).map(\.sequence) == [3, 4, 5, 8, 9, 10])
        #expect(values(inbox.messages) == [1, 2, 1, 2])
        _ = listener
    }

    @Test func aValueLargerThanABlockHasOneForItself() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        let listener = try queue(wormhole) { inbox.receive($0) }
        let large = Value.bytes([UInt8](repeating: 7, count: 5000))
        try wormhole.send(many: [.value("jobs.a", 1), .value("jobs.a", large), .value("jobs.a", 2)])
        #expect(values(inbox.wait(for: 3)) == [1, large, 2])
        _ = listener
    }

    @Test func theLimitCutsThroughABlock() throws {
        let wormhole = try withMoreThanIsKept()
        #expect(try wormhole.logged().messages == 40)
        let inbox = Inbox()
        let listener = try queue(wormhole, durable: true) { inbox.receive($0) }
        #expect(values(inbox.waitForSequence(100)) == (60..<100).map { .int($0) })
        #expect(inbox.messages.first?.missed == 60)
        _ = listener
    }

    /// A listener that ends before it reports the missed messages leaves the report to the next one.
    @Test func nextListenerReportsMissedMessages() throws {
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
        let inbox = Inbox()
        let listener = try queue(wormhole, durable: true) { inbox.receive($0) }
        #expect(inbox.waitForSequence(100).first?.missed == 60)
        #expect(values(inbox.messages) == (60..<100).map { .int($0) })
        _ = listener
    }

    /// Needed messages stay, and unneeded ones behind them are removed: whole blocks, and parts of them.
    @Test func unneededMessagesAreRemovedBehindNeededOnes() throws {
        let wormhole = try scratch.open()
        _ = try wormhole.queue("jobs.a", name: "worker", options: durableOptions) { _ in }
        wormhole.removeListeners()
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs.b") { inbox.receive($0) }
        for _ in 0..<10 { try wormhole.send(many: batch(30)) }
        for number in 0..<20_000 {
            try wormhole.send("jobs.b", .int(Int64(number)))
            if number % 500 == 0 { _ = inbox.wait(for: 100 + number) }
        }
        #expect(try wormhole.logged().messages < 4000)
        let next = Inbox()
        let second = try wormhole.queue("jobs.a", name: "worker", options: durableOptions) { next.receive($0) }
        #expect(next.wait(for: 100).allSatisfy { $0.kind == .value })
        _ = (listener, second)
    }

    private var durableOptions: Wormhole.QueueOptions {
        var options = Wormhole.QueueOptions()
        options.isDurable = true
        return options
    }

    @Test func destroyedMessagesGoAndTheirNeighborsStay() throws {
        let wormhole = try scratch.open()
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        try wormhole.send(many: batch(300))
        try wormhole.destroy("jobs.b")
        #expect(try wormhole.logged().messages == 201)
        let inbox = Inbox()
        let listener = try queue(wormhole, durable: true) { inbox.receive($0) }
        let delivered = inbox.waitForSequence(301)
        #expect(values(delivered) == (0..<300).filter { $0 % 3 != 1 }.map { .int($0) })
        #expect(delivered.last?.kind == .destroyed && delivered.first?.missed == 100)
        #expect(delivered.filter { $0.kind == .missed }.count == 1)
        _ = listener
    }

    /// A listener that has the message has received it; the others get the number of missed ones.
    @Test func destroyedMessageInHandIsNotMissed() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        let first = try queue(wormhole, durable: true, manual: 10) { inbox.receive($0) }
        try wormhole.send(many: batch(30))
        #expect(inbox.wait(for: 10).count == 10)
        try wormhole.destroy("jobs.b")
        first.remove()
        let next = Inbox()
        let second = try queue(wormhole, durable: true) { next.receive($0) }
        let delivered = next.waitForSequence(31)
        #expect(values(delivered) == (0..<30).filter { $0 % 3 != 1 }.map { .int($0) })
        #expect(delivered.reduce(0) { $0 + $1.missed } == 7)
        _ = second
    }

    /// Messages received before they were destroyed do not make up for removed ones.
    @Test(arguments: [false, true]) func missedMessagesAreCountedBesideDestroyedOnes(fromOldest: Bool) throws {
        var options = scratch.options()
        options.maximumQueued = 64
        let wormhole = try Wormhole("test", options: options)
        _ = try queue(wormhole, durable: true) { _ in }
        wormhole.removeListeners()
        if fromOldest { for _ in 0..<20 { try wormhole.send("jobs.a", 0) } }
        let (inbox, gate) = (Inbox(), Flag())
        var live = Wormhole.QueueOptions()
        live.fromOldest = fromOldest
        let listener = try wormhole.queue("jobs.*", options: live) { message in
            inbox.receive(message)
            if message.identifier == "jobs.b" { gate.wait() }
        }
        for _ in 0..<20 { try wormhole.send("jobs.a", 0) }
        try wormhole.send("jobs.b", 0)
        #expect(inbox.wait { $0.identifier == "jobs.b" } != nil)
        try wormhole.destroy("jobs.a")
        for _ in 0..<98 { try wormhole.send("jobs.b", 1) }
        gate.set()
        let sent: UInt64 = (fromOldest ? 40 : 20) + 1 + 1 + 98
        let delivered = inbox.waitForSequence(sent)
        #expect(UInt64(delivered.filter { $0.kind != .missed }.count) + delivered.reduce(0) { $0 + $1.missed } == sent)
        #expect(delivered.contains { $0.kind == .missed })
        _ = listener
    }

    /// Two listeners, held up at different times while the limit drops messages that they need: each receives, or
    /// reports as missed, as many messages as were sent.
    @Test(arguments: 0..<8) func missedMessagesAreCounted(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var options = scratch.options()
        options.maximumQueued = 40
        let wormhole = try Wormhole("test", options: options)
        let pairs = [(Inbox(), Flag()), (Inbox(), Flag())]
        var listeners: [Listener] = []
        for (inbox, gate) in pairs {
            var options = Wormhole.QueueOptions()
            options.isDurable = false
            listeners.append(
                try wormhole.queue("jobs.*", options: options) { message in
                    inbox.receive(message)
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
        for (inbox, _) in pairs {
            let delivered = inbox.waitForSequence(count)
            let missed = delivered.reduce(0) { $0 + $1.missed }
            #expect(UInt64(values(delivered).count) + missed == count)
        }
    }
}
