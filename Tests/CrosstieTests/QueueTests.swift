import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Queue delivery, below the public interface: what the log holds, and for how long.
@Suite struct QueueTests {
    private let scratch = Scratch()

    private func bind(
        _ wormhole: Wormhole, _ identifier: String, fromOldest: Bool = false, _ call: @escaping (Message) -> Void
    ) throws -> Binding {
        var options = ListenOptions()
        options.delivery = .queue
        options.start = fromOldest ? .oldest : .next
        let binding = try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try wormhole.core.makeBinding(bytes, options, call: call, end: {})
        }
        _ = try wormhole.core.bind(binding)
        return binding
    }

    @Test func everyMessageOfItsTopicInOrder() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        _ = try bind(wormhole, "jobs.*") { inbox.receive($0) }
        for number in 0..<1000 {
            try wormhole.send(number % 2 == 0 ? "jobs.a" : "other", .int(Int64(number)))
        }
        try wormhole.signal("jobs.b")
        #expect(inbox.wait(for: 501).count == 501)
        // Later, because it removes messages that no listener has received yet.
        try wormhole.destroy("jobs.a")
        let delivered = inbox.wait(for: 502)
        #expect(delivered.count == 502)
        let expected: [UInt64] = Array(stride(from: 1, to: 1000, by: 2))
        #expect(delivered.prefix(500).map { $0.sequence } == expected)
        #expect(delivered.suffix(2).map { $0.kind } == [.signal, .destroyed])
        #expect(delivered.last?.sequence == 1002)
    }

    @Test func nothingIsQueuedForNobody() throws {
        let wormhole = try scratch.open()
        let binding = try bind(wormhole, "jobs") { _ in }
        try wormhole.send("other", 1)
        #expect(try wormhole.logged().messages == 0)
        #expect(wormhole.core.unbind(binding) == .ok)
        try wormhole.send("jobs", 1)
        #expect(try wormhole.logged().messages == 0)
    }

    @Test func consumedMessagesAreRemoved() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        _ = try bind(wormhole, "jobs") { inbox.receive($0) }
        for number in 0..<3000 { try wormhole.send("jobs", .int(Int64(number))) }
        #expect(inbox.wait(for: 3000).count == 3000)
        for number in 0..<300 { try wormhole.send("jobs", .int(Int64(number))) }
        #expect(try wormhole.logged().messages < 3000)
    }

    @Test func destroyingEverythingReachesQueues() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        _ = try bind(wormhole, "jobs") { inbox.receive($0) }
        try wormhole.destroyAll()
        try wormhole.send("jobs", 1)
        let delivered = inbox.wait(for: 2)
        #expect(delivered.map { $0.kind } == [.destroyed, .value] && delivered.first?.identifier == "jobs")
    }

    /// Destroying also removes messages that were queued for others before the listener was bound: for it they are
    /// neither kept nor missed.
    @Test(arguments: [false, true])
    func messagesOfOthersAreNotMissed(everything: Bool) throws {
        var options = scratch.options()
        options.maximumQueued = 100
        let wormhole = try Wormhole("test", options: options)
        let (inbox, gate) = (Inbox(), Flag())
        _ = try bind(wormhole, "*") { _ in gate.wait() }
        for number in 0..<50 { try wormhole.send("a", .int(Int64(number))) }
        _ = try bind(wormhole, "a") { message in
            inbox.receive(message)
            gate.wait()
        }
        for number in 0..<20 { try wormhole.send("a", .int(Int64(number))) }
        if everything { try wormhole.destroyAll() } else { try wormhole.destroy("a") }
        // The limit drops what others wait for.
        for number in 0..<300 { try wormhole.send("b", .int(Int64(number))) }
        try wormhole.send("a", -1)
        gate.set()
        let delivered = inbox.waitForSequence(372)
        #expect(inbox.messages.last?.value == -1)
        // The 20 of its own, that they were destroyed, and the last one.
        #expect(UInt64(delivered.filter { $0.kind != .missed }.count) + delivered.reduce(0) { $0 + $1.missed } == 22)
    }

    @Test func slowListenerGetsTheNumberOfMissedMessages() throws {
        var options = scratch.options()
        options.maximumQueued = 100
        let wormhole = try Wormhole("test", options: options)
        let inbox = Inbox()
        let gate = Flag()
        _ = try bind(wormhole, "jobs.*") { message in
            inbox.receive(message)
            gate.wait()
        }
        try wormhole.send("jobs.a", 0)
        #expect(inbox.wait(for: 1).count == 1)
        for number in 1...2000 { try wormhole.send("jobs.\(number % 7)", .int(Int64(number))) }
        gate.set()
        let delivered = inbox.waitForSequence(2001)
        let missed = delivered.filter { $0.kind == .missed }
        #expect(missed.count == 1)
        let values = delivered.filter { $0.kind == .value }.count
        #expect(UInt64(values) + (missed.first?.missed ?? 0) == 2001)
        #expect(values < 300)
    }
}
