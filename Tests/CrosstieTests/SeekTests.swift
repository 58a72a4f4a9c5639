import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Beginning a queue with a number or a time, moving durable consumers, and what a group's messages have by default.
@Suite struct SeekTests {
    private let scratch = Scratch()

    private func options(
        _ start: QueueStart = .next, durable: Bool = false, manual: Bool = false
    ) -> Wormhole.QueueOptions {
        var options = Wormhole.QueueOptions()
        options.start = start
        options.isDurable = durable
        options.isManual = manual
        if manual { options.maximumUnacknowledged = 8 }
        return options
    }

    /// Ten jobs, of the numbers 1 to 10, that are kept for a name which nobody listens to.
    private func withJobs() throws -> Wormhole {
        let wormhole = try scratch.open()
        try wormhole.declare("*", name: "keeper")
        try wormhole.declare("jobs", name: "worker")
        for number in 1...10 {
            let sent = try wormhole.send("jobs", .int(Int64(number)))
            if number == 1 { #expect(sent.sequence == 1) }
        }
        return wormhole
    }

    private func numbers(_ messages: [Message]) -> [UInt64] { messages.map(\.sequence) }

    private func worker(_ wormhole: Wormhole) throws -> Wormhole.Durable? {
        try wormhole.durables().first { $0.name == "worker" }
    }

    @Test func aQueueBeginsWithANumber() throws {
        let wormhole = try withJobs()
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs", options: options(.sequence(8))) { inbox.receive($0) }
        #expect(numbers(inbox.wait(for: 3)) == [8, 9, 10])
        _ = listener
    }

    @Test func aQueueBeginsWithATime() throws {
        let wormhole = try withJobs()
        let all = Inbox()
        let listener = try wormhole.queue("jobs", options: options(.oldest)) { all.receive($0) }
        let time = try #require(all.wait(until: { $0.sequence == 6 })?.time)
        let inbox = Inbox()
        let later = try wormhole.queue("jobs", options: options(.time(time))) { inbox.receive($0) }
        // Two may have been sent in one tick of the clock.
        #expect(inbox.waitForSequence(10).first.map { $0.sequence <= 6 && $0.time == time } == true)
        _ = (listener, later)
    }

    @Test func consumerBeginsWhereItsFirstListenerSays() throws {
        let wormhole = try withJobs()
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs", name: "second", options: options(.sequence(9), durable: true)) {
            inbox.receive($0)
        }
        #expect(numbers(inbox.wait(for: 2)) == [9, 10])
        _ = listener
    }

    @Test func consumerIsMoved() throws {
        let wormhole = try withJobs()
        #expect(try wormhole.seek("jobs", name: "worker", to: .sequence(7)))
        #expect(try worker(wormhole)?.waiting == 4)
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs", name: "worker", options: options(durable: true)) { inbox.receive($0) }
        #expect(numbers(inbox.wait(for: 4)) == [7, 8, 9, 10])
        #expect(try wormhole.seek("jobs", name: "worker", to: .oldest))
        #expect(numbers(inbox.wait(for: 14)).suffix(10) == Array(1...10)[...])
        #expect(inbox.messages.allSatisfy { $0.deliveryCount == 1 })
        #expect(try wormhole.seek("jobs", name: "worker", to: .next))
        try wormhole.send("jobs", 11)
        #expect(inbox.wait(for: 15).last?.sequence == 11)
        #expect(try !wormhole.seek("jobs", name: "nobody", to: .oldest))
        _ = listener
    }

    @Test func consumerIsMovedToATime() throws {
        let wormhole = try withJobs()
        let time = try #require(try wormhole.message("jobs")?.time)
        #expect(try wormhole.seek("jobs", name: "worker", to: .time(time + 1)))
        #expect(try worker(wormhole)?.waiting == 0)
        #expect(try wormhole.seek("jobs", name: "worker", to: .time(1)))
        #expect(try worker(wormhole)?.waiting == 10)
    }

    /// The same message may be in one listener's hands twice, of which one delivery counts.
    @Test func anAnswerIsForItsOwnDelivery() throws {
        let wormhole = try withJobs()
        try wormhole.seek("jobs", name: "worker", to: .sequence(10))
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs", name: "worker", options: options(durable: true, manual: true)) {
            inbox.receive($0)
        }
        let first = try #require(inbox.wait(for: 1).first)
        try wormhole.seek("jobs", name: "worker", to: .sequence(10))
        #expect(numbers(inbox.wait(for: 2)) == [10, 10])
        first.acknowledge()
        #expect(listener.remove() == .ok)
        #expect(try worker(wormhole)?.waiting == 1)
    }

    /// The clock is looked at twice.
    private func isAnHour(_ span: Int64) -> Bool { abs(span - 3_600_000_000_000) < 600_000_000_000 }

    @Test func messagesExpireByDefault() throws {
        var options = scratch.options()
        options.expires = .seconds(3600)
        let wormhole = try Wormhole("test", options: options)
        try wormhole.send("plain", 1)
        let message = try #require(try wormhole.message("plain"))
        #expect(isAnHour(message.expires - message.time))
        var forEver = Wormhole.SendOptions()
        forEver.expires = .forever
        try wormhole.send("kept", 1, options: forEver)
        #expect(try wormhole.message("kept")?.expires == 0)
        // The process that creates the store decides.
        wormhole.close()
        let again = try scratch.open()
        try again.send("plain", 2)
        #expect(try again.message("plain").map { $0.expires > $0.time } == true)
    }

    @Test func messagesWaitByDefault() throws {
        var options = scratch.options()
        options.delay = .seconds(3600)
        let wormhole = try Wormhole("test", options: options)
        try wormhole.send("later", 1)
        #expect(try wormhole.message("later") == nil)
        let waiting = try #require(try wormhole.scheduled().first)
        #expect(waiting.identifier == "later" && isAnHour(waiting.notBefore - waiting.sent))
        var now = Wormhole.SendOptions()
        now.delay = .zero
        try wormhole.send("now", 1, options: now)
        #expect(try wormhole.message("now")?.value == 1)
        let first = try wormhole.send(many: [.value("batch", 1), .signal("batch")])
        #expect(try wormhole.message("batch") == nil)
        #expect(try wormhole.scheduled().map(\.number) == [waiting.number, first, first + 1])
    }
}
