import CrosstieConcurrency
import Synchronization
import Testing

/// Messages of a wormhole as sequences.
@Suite struct MessageTests {
    let wormhole: Wormhole
    private static let count = Atomic(0)

    init() throws {
        var options = WormholeOptions()
        options.isInMemory = true
        // Groups in memory of one name are one.
        wormhole = try Wormhole("sequences-\(MessageTests.count.add(1, ordering: .relaxed).newValue)", options: options)
    }

    private func numbers(_ count: Int64) throws { for number in 1...count { try wormhole.send("jobs", .int(number)) } }

    @Test func aDurableConsumerGetsEveryMessageOnce() async throws {
        let jobs = wormhole.queue("jobs", durable: "worker", unacknowledged: 10)
        try numbers(100)
        var received: [Int64] = []
        for try await message in jobs {
            received.append(message.value?.intValue ?? 0)
            #expect(message.acknowledge() == .ok)
            if received.count == 100 { break }
        }
        #expect(received == Array(1...100))
    }

    @Test func leavingTheLoopGivesBackWhatIsNotAcknowledged() async throws {
        let jobs = wormhole.queue("jobs", durable: "worker", unacknowledged: 10)
        try numbers(5)
        var first: [Int64] = []
        for try await message in jobs {
            first.append(message.value?.intValue ?? 0)
            if first.count == 1 { message.acknowledge() }
            if first.count == 3 { break }
        }
        #expect(first == [1, 2, 3])
        var second: Set<Int64> = []
        for try await message in wormhole.queue("jobs", durable: "worker", unacknowledged: 10) {
            second.insert(message.value?.intValue ?? 0)
            message.acknowledge()
            if second.count == 4 { break }
        }
        #expect(second == [2, 3, 4, 5])
    }

    @Test func noMoreAreHandedOutThanMayBeUnacknowledged() async throws {
        var iterator = wormhole.queue("jobs", durable: "worker", unacknowledged: 2).makeAsyncIterator()
        try numbers(5)
        let first = try #require(try await iterator.next())
        let second = try #require(try await iterator.next())
        #expect(try wormhole.durables().first?.inHand.map(\.count) == [2])
        #expect(first.acknowledge() == .ok)
        #expect(try await iterator.next()?.value == 3)
        #expect(try wormhole.durables().first?.inHand.map(\.count) == [2])
        #expect(second.acknowledge() == .ok)
        #expect(try await iterator.next()?.value == 4)
    }

    @Test func withoutADurableConsumerAskingAcknowledges() async throws {
        let jobs = wormhole.queue("jobs")
        try numbers(20)
        var received: [Int64] = []
        for try await message in jobs {
            received.append(message.value?.intValue ?? 0)
            if received.count == 20 { break }
        }
        #expect(received == Array(1...20))
    }

    @Test func aSlowReaderGetsTheNewestOfEachIdentifier() async throws {
        try wormhole.send("chat.a", 0)
        var iterator = wormhole.messages("chat.*").makeAsyncIterator()
        for number in 1...100 {
            try wormhole.send("chat.a", .int(Int64(number)))
            try wormhole.send("chat.b", .int(Int64(number)))
        }
        var newest: [String: Int64] = [:]
        while newest != ["chat.a": 100, "chat.b": 100] {
            let message = try #require(try await iterator.next())
            let number = message.value?.intValue ?? -1
            #expect(number > newest[message.identifier] ?? -1)
            newest[message.identifier] = number
        }
    }

    @Test func cancellingTheTaskEndsTheLoop() async throws {
        let started = Gate()
        let task = Task {
            var count = 0
            for try await _ in wormhole.messages("nothing") {
                count += 1
                started.open()
            }
            return count
        }
        await started.pass()
        task.cancel()
        #expect(try await task.value == 1)
        #expect(try wormhole.listeners().isEmpty)
    }

    @Test func closingTheWormholeEndsTheLoop() async throws {
        var iterator = wormhole.queue("jobs").makeAsyncIterator()
        async let next = iterator.next()
        wormhole.close()
        #expect(try await next == nil)
    }

    @Test func aFailedBindingThrowsAtTheFirstStep() async throws {
        var malformed = wormhole.messages("no identifier!").makeAsyncIterator()
        let identifier = await #expect(throws: CrosstieError.self) { _ = try await malformed.next() }
        #expect(identifier?.status == .invalidIdentifier)
        var tooMany = wormhole.queue("jobs", unacknowledged: 1025).makeAsyncIterator()
        let limit = await #expect(throws: CrosstieError.self) { _ = try await tooMany.next() }
        #expect(limit?.status == .limitExceeded)
    }
}
