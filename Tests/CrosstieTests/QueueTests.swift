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
        let ear = Ear()
        _ = try bind(wormhole, "jobs.*") { ear.hear($0) }
        for number in 0..<1000 {
            try wormhole.send(number % 2 == 0 ? "jobs.a" : "other", .int(Int64(number)))
        }
        try wormhole.signal("jobs.b")
        #expect(ear.wait(for: 501).count == 501)
        // Later, since it takes along what nobody has heard yet.
        try wormhole.destroy("jobs.a")
        let delivered = ear.wait(for: 502)
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

    @Test func heardMessagesGo() throws {
        let wormhole = try scratch.open()
        let ear = Ear()
        _ = try bind(wormhole, "jobs") { ear.hear($0) }
        for number in 0..<3000 { try wormhole.send("jobs", .int(Int64(number))) }
        #expect(ear.wait(for: 3000).count == 3000)
        for number in 0..<300 { try wormhole.send("jobs", .int(Int64(number))) }
        #expect(try wormhole.logged().messages < 3000)
    }

    @Test func destroyingEverythingReachesQueues() throws {
        let wormhole = try scratch.open()
        let ear = Ear()
        _ = try bind(wormhole, "jobs") { ear.hear($0) }
        try wormhole.destroyAll()
        try wormhole.send("jobs", 1)
        let delivered = ear.wait(for: 2)
        #expect(delivered.map { $0.kind } == [.destroyed, .value] && delivered.first?.identifier == "jobs")
    }

    /// What is destroyed takes along messages that were queued for others before the listener came: they are none of its
    /// own, neither kept nor missed.
    @Test(arguments: [false, true])
    func whatWasQueuedForOthersIsNotMissed(everything: Bool) throws {
        var options = scratch.options()
        options.maximumQueued = 100
        let wormhole = try Wormhole("test", options: options)
        let (ear, gate) = (Ear(), Flag())
        _ = try bind(wormhole, "*") { _ in gate.wait() }
        for number in 0..<50 { try wormhole.send("a", .int(Int64(number))) }
        _ = try bind(wormhole, "a") { message in
            ear.hear(message)
            gate.wait()
        }
        for number in 0..<20 { try wormhole.send("a", .int(Int64(number))) }
        if everything { try wormhole.destroyAll() } else { try wormhole.destroy("a") }
        // The limit drops what others wait for.
        for number in 0..<300 { try wormhole.send("b", .int(Int64(number))) }
        try wormhole.send("a", -1)
        gate.set()
        let delivered = ear.waitForSequence(372)
        #expect(ear.messages.last?.value == -1)
        // The 20 of its own, that they were destroyed, and the last one.
        #expect(UInt64(delivered.filter { $0.kind != .missed }.count) + delivered.reduce(0) { $0 + $1.missed } == 22)
    }

    @Test func whoIsSlowIsToldHowManyAreGone() throws {
        var options = scratch.options()
        options.maximumQueued = 100
        let wormhole = try Wormhole("test", options: options)
        let ear = Ear()
        let gate = Flag()
        _ = try bind(wormhole, "jobs.*") { message in
            ear.hear(message)
            gate.wait()
        }
        try wormhole.send("jobs.a", 0)
        #expect(ear.wait(for: 1).count == 1)
        for number in 1...2000 { try wormhole.send("jobs.\(number % 7)", .int(Int64(number))) }
        gate.set()
        let delivered = ear.waitForSequence(2001)
        let missed = delivered.filter { $0.kind == .missed }
        #expect(missed.count == 1)
        let values = delivered.filter { $0.kind == .value }.count
        #expect(UInt64(values) + (missed.first?.missed ?? 0) == 2001)
        #expect(values < 300)
    }
}
