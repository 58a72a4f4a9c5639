internal import Glibc
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Durable consumers, in one process and several openings of a group.
@Suite struct DurableTests {
    let scratch = Scratch()

    private func durable(fromOldest: Bool = false, manual: Int? = nil) -> Wormhole.QueueOptions {
        var options = Wormhole.QueueOptions()
        options.isDurable = true
        options.fromOldest = fromOldest
        options.isManual = manual != nil
        options.maximumUnacknowledged = manual
        return options
    }

    private func cursor(_ wormhole: Wormhole, _ identifier: String, _ name: String) throws -> CursorState? {
        let topic = try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try Topic(bytes) }
        let group = wormhole.core.group
        return try group.store.reading().cursor(CursorKey(topic, name: Array(name.utf8)), boot: group.boot)
    }

    /// Waits until nothing is outstanding, and everything up to a number has been looked at.
    private func awaitDone(_ wormhole: Wormhole, _ identifier: String, _ name: String, upTo next: UInt64) throws -> Bool
    {
        for _ in 0..<20_000 {
            if let state = try cursor(wormhole, identifier, name), state.outstanding.isEmpty, state.waitingCount == 0,
                state.next >= next
            {
                return true
            }
            usleep(1000)
        }
        return false
    }

    @Test func messagesWithoutAListenerAreDeliveredOnce() throws {
        let inbox = Inbox()
        do {
            let wormhole = try scratch.open()
            try wormhole.send("jobs", 0)
            _ = try wormhole.queue("jobs", name: "worker", options: durable()) { inbox.receive($0) }
            for number in 1...500 { try wormhole.send("jobs", .int(Int64(number))) }
            wormhole.close()
        }
        let consumed = inbox.messages.count
        let wormhole = try scratch.open()
        try wormhole.signal("jobs")
        let listener = try wormhole.queue("jobs", name: "worker", options: durable()) { inbox.receive($0) }
        let delivered = inbox.waitForSequence(502)
        #expect(delivered.map(\.sequence) == Array(2...502))
        #expect(delivered.allSatisfy { $0.deliveryCount == 1 } && delivered.last?.kind == .signal)
        #expect(consumed <= 500)
        #expect(try awaitDone(wormhole, "jobs", "worker", upTo: 502))
        #expect(try wormhole.logged().messages < 100)
        _ = listener
    }

    @Test func aNewNameMayBeginWithTheOldest() throws {
        let wormhole = try scratch.open()
        _ = try wormhole.queue("jobs", name: "keeper", options: durable()) { _ in }
        wormhole.removeListeners()
        for number in 1...3 { try wormhole.send("jobs", .int(Int64(number))) }
        let (old, new) = (Inbox(), Inbox())
        let first = try wormhole.queue("jobs", name: "old", options: durable(fromOldest: true)) { old.receive($0) }
        let second = try wormhole.queue("jobs", name: "new", options: durable()) { new.receive($0) }
        try wormhole.send("jobs", 4)
        #expect(old.wait(for: 4).map(\.sequence) == [1, 2, 3, 4])
        #expect(new.wait(for: 1).map(\.sequence) == [4])
        _ = (first, second)
    }

    @Test func openingsShareAndNothingComesTwice() throws {
        let (first, second) = (try scratch.open(), try scratch.open())
        let (one, two) = (Inbox(), Inbox())
        _ = try first.queue("jobs.*", name: "worker", options: durable()) { _ in }
        first.removeListeners()
        for number in 0..<600 { try first.send("jobs.\(number % 5)", .int(Int64(number))) }
        let listeners = [
            try first.queue("jobs.*", name: "worker", options: durable()) { message in
                one.receive(message)
                _ = two.wait(for: 1)
            },
            try second.queue("jobs.*", name: "worker", options: durable()) { message in
                two.receive(message)
                _ = one.wait(for: 1)
            },
        ]
        #expect(try awaitDone(first, "jobs.*", "worker", upTo: 600))
        let all = (one.messages + two.messages).map(\.sequence).sorted()
        #expect(all == Array(1...600))
        #expect(!one.messages.isEmpty && !two.messages.isEmpty)
        #expect(one.messages.map(\.sequence).sorted() == one.messages.map(\.sequence))
        _ = listeners
    }

    @Test func throwingBringsItAgain() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        struct Refusal: Error {}
        let listener = try wormhole.queue("jobs", name: "worker", options: durable()) { message in
            inbox.receive(message)
            if message.value == 1, message.deliveryCount < 3 {
                message.reject(after: .zero)
                throw Refusal()
            }
        }
        for number in 1...2 { try wormhole.send("jobs", .int(Int64(number))) }
        #expect(try awaitDone(wormhole, "jobs", "worker", upTo: 2))
        let delivered = inbox.wait(for: 4)
        #expect(delivered.filter { $0.sequence == 1 }.map(\.deliveryCount) == [1, 2, 3])
        #expect(delivered.filter { $0.sequence == 2 }.map(\.deliveryCount) == [1])
        _ = listener
    }

    @Test func rejectedMessagesWaitAndOtherOpeningsGetThem() throws {
        let (first, second) = (try scratch.open(), try scratch.open())
        let (one, two) = (Inbox(), Inbox())
        let rejecting = try first.queue("jobs", name: "worker", options: durable()) { message in
            one.receive(message)
            // Removed before its time has come, so that only the other one can have it.
            message.reject(after: .milliseconds(300))
        }
        try first.send("jobs", 1)
        #expect(one.wait(for: 1).count == 1)
        #expect(rejecting.remove() == .ok)
        let state = try #require(try cursor(first, "jobs", "worker"))
        #expect(state.outstanding.isEmpty && state.waitingCount == 1)
        let taking = try second.queue("jobs", name: "worker", options: durable()) { two.receive($0) }
        #expect(two.wait(for: 1).map(\.deliveryCount) == [2])
        _ = taking
    }

    @Test func manualOnesAreAcknowledgedFromAnywhere() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs", name: "worker", options: durable(manual: 3)) { inbox.receive($0) }
        for number in 1...9 { try wormhole.send("jobs", .int(Int64(number))) }
        let delivered = inbox.wait(for: 3)
        usleep(20_000)
        #expect(inbox.messages.count == 3)
        #expect(
            delivered[1].acknowledge() == .ok && delivered[1].acknowledge() == .alreadyDone
                && delivered[1].reject() == .alreadyDone)
        #expect(inbox.wait(for: 4).map(\.sequence) == [1, 2, 3, 4])
        #expect(delivered[0].reject(after: .zero) == .ok && delivered[2].acknowledge() == .ok)
        let again = inbox.wait(for: 6)
        #expect(again.contains { $0.sequence == 1 && $0.deliveryCount == 2 })
        var answered = 0
        for _ in 0..<20_000 where answered < 9 {
            answered = Set(inbox.messages.filter { $0.acknowledge() == .ok || $0.sequence > 0 }.map(\.sequence)).count
            usleep(1000)
        }
        #expect(try awaitDone(wormhole, "jobs", "worker", upTo: 9))
        #expect(listener.remove() == .ok && delivered[0].acknowledge() == .alreadyDone)
    }

    @Test func plainQueuesHaveCreditsToo() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        var options = Wormhole.QueueOptions()
        options.isManual = true
        options.maximumUnacknowledged = 2
        let listener = try wormhole.queue("jobs", options: options) { inbox.receive($0) }
        for number in 1...200 { try wormhole.send("jobs", .int(Int64(number))) }
        #expect(inbox.wait(for: 2).map(\.sequence) == [1, 2])
        usleep(20_000)
        #expect(inbox.messages.count == 2)
        // Acknowledging and rejecting have the same result here.
        #expect(inbox.messages[0].acknowledge() == .ok && inbox.messages[1].reject() == .ok)
        var next = 2
        while next < 200, inbox.wait(for: next + 1).count > next {
            #expect(inbox.messages[next].acknowledge() == .ok)
            next += 1
        }
        #expect(inbox.messages.map(\.sequence) == Array(1...200))
        #expect(inbox.messages.allSatisfy { $0.deliveryCount == 0 })
        _ = listener
    }

    @Test func messageOfNoQueueCannotBeAnswered() throws {
        let wormhole = try scratch.open()
        try wormhole.send("a", 1)
        let message = try #require(try wormhole.message("a"))
        #expect(message.acknowledge() == .invalidArgument && message.reject() == .invalidArgument)
    }

    @Test func unacknowledgedMessagesGoToOthersAtTheEnd() throws {
        let (first, second) = (try scratch.open(), try scratch.open())
        let (one, two) = (Inbox(), Inbox())
        let held = try first.queue("jobs", name: "worker", options: durable(manual: 2)) { one.receive($0) }
        for number in 1...3 { try first.send("jobs", .int(Int64(number))) }
        let delivered = one.wait(for: 2)
        #expect(delivered[1].acknowledge() == .ok)
        #expect(one.wait(for: 3).count == 3)
        let taking = try second.queue("jobs", name: "worker", options: durable()) { two.receive($0) }
        #expect(held.remove() == .ok)
        #expect(delivered[0].acknowledge() == .alreadyDone)
        let taken = two.wait(for: 2)
        #expect(taken.map(\.sequence) == [1, 3] && taken.map(\.deliveryCount) == [2, 2])
        _ = taking
    }

    @Test func theNextOfANameTakesOver() throws {
        let wormhole = try scratch.open()
        let (one, two) = (Inbox(), Inbox())
        let first = try wormhole.queue("jobs", name: "worker", options: durable(manual: 5)) { one.receive($0) }
        for number in 1...2 { try wormhole.send("jobs", .int(Int64(number))) }
        #expect(one.wait(for: 2).count == 2)
        let second = try wormhole.queue("jobs", name: "worker", options: durable()) { two.receive($0) }
        #expect(two.wait(for: 2).map(\.sequence) == [1, 2])
        #expect(first.remove() == .alreadyDone && one.messages.count == 2)
        _ = second
    }

    @Test func forgottenConsumerReceivesNothingMore() throws {
        let wormhole = try scratch.open()
        let (inbox, again) = (Inbox(), Inbox())
        let listener = try wormhole.queue("jobs", name: "worker", options: durable()) { inbox.receive($0) }
        try wormhole.send("jobs", 1)
        #expect(try awaitDone(wormhole, "jobs", "worker", upTo: 1))
        #expect(try wormhole.forget("jobs", name: "worker"))
        #expect(try !wormhole.forget("jobs", name: "worker") && !wormhole.forget("*bad", name: "worker"))
        let count = try wormhole.logged().messages
        try wormhole.send("jobs", 2)
        #expect(try wormhole.logged().messages == count)
        // A recreated one is another consumer, unknown to the old listener.
        let other = try scratch.open()
        let fresh = try other.queue("jobs", name: "worker", options: durable()) { again.receive($0) }
        try wormhole.send("jobs", 3)
        #expect(again.wait(for: 1).map(\.sequence) == [3])
        #expect(inbox.messages.map(\.sequence) == [1])
        _ = (listener, fresh)
    }

    @Test func slowConsumerReportsMissedOnce() throws {
        var options = scratch.options()
        options.maximumQueued = 100
        let wormhole = try Wormhole("test", options: options)
        _ = try wormhole.queue("jobs.*", name: "worker", options: durable()) { _ in }
        wormhole.removeListeners()
        for number in 1...2000 { try wormhole.send("jobs.\(number % 7)", .int(Int64(number))) }
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs.*", name: "worker", options: durable()) { inbox.receive($0) }
        let delivered = inbox.waitForSequence(2000)
        #expect(delivered.first?.kind == .missed && delivered.filter { $0.kind == .missed }.count == 1)
        let values = delivered.filter { $0.kind == .value }
        #expect(UInt64(values.count) + (delivered.first?.missed ?? 0) == 2000 && values.count < 300)
        #expect(delivered.first?.acknowledge() == .ok)
        #expect(try awaitDone(wormhole, "jobs.*", "worker", upTo: 2000))
        _ = listener
    }

    @Test func destroyedMessageIsNotRedelivered() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs", name: "worker", options: durable(manual: 2)) { inbox.receive($0) }
        for number in 1...2 { try wormhole.send("jobs", .int(Int64(number))) }
        let delivered = inbox.wait(for: 2)
        try wormhole.destroy("jobs")
        #expect(delivered[0].reject(after: .zero) == .ok && delivered[1].acknowledge() == .ok)
        #expect(inbox.wait(for: 3).map(\.kind) == [.value, .value, .destroyed])
        #expect(inbox.messages[2].acknowledge() == .ok)
        #expect(try awaitDone(wormhole, "jobs", "worker", upTo: 3))
        #expect(inbox.messages.count == 3)
        _ = listener
    }

    @Test func destroyingEverythingLeavesTheName() throws {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        let listener = try wormhole.queue("jobs", name: "worker", options: durable()) { inbox.receive($0) }
        try wormhole.send("jobs", 1)
        #expect(try awaitDone(wormhole, "jobs", "worker", upTo: 1))
        try wormhole.destroyAll()
        try wormhole.send("jobs", 2)
        #expect(inbox.wait(for: 3).map(\.kind) == [.value, .destroyed, .value])
        _ = listener
    }

    @Test func limits() throws {
        let wormhole = try scratch.open()
        #expect(status { _ = try wormhole.queue("a", options: durable()) { _ in } } == .invalidArgument)
        for count in [0, -1, 1025] {
            var options = durable()
            options.maximumUnacknowledged = count
            #expect(status { _ = try wormhole.queue("a", name: "n", options: options) { _ in } } == .limitExceeded)
        }
        for number in 0..<256 { _ = try wormhole.queue("a", name: "n\(number)", options: durable()) { _ in } }
        #expect(status { _ = try wormhole.queue("a", name: "more", options: durable()) { _ in } } == .limitExceeded)
        #expect(status { _ = try wormhole.queue("a", name: "n9", options: durable()) { _ in } } == .ok)
        #expect(try wormhole.forget("a", name: "n9"))
        #expect(status { _ = try wormhole.queue("a", name: "more", options: durable()) { _ in } } == .ok)
    }

    @Test func aDamagedCursorIsAnErrorAndCanBeForgotten() throws {
        let wormhole = try scratch.open()
        let group = wormhole.core.group
        try group.transact(timeout: wormhole.core.timeout) { transaction, _ throws(CrosstieError) in
            try (Array("worker".utf8) + [0] + Array("jobs".utf8)).withBytes { key throws(CrosstieError) in
                try transaction.reserve(StoreKey.cursor, key, size: 3).copyBytes(from: [1, 2, 3])
            }
        }
        #expect(status { _ = try wormhole.queue("jobs", name: "worker", options: durable()) { _ in } } == .corruptData)
        #expect(try wormhole.forget("jobs", name: "worker"))
        #expect(status { _ = try wormhole.queue("jobs", name: "worker", options: durable()) { _ in } } == .ok)
    }

    @Test func closingFromInsideStoresDeliveries() throws {
        let inbox = Inbox()
        let wormhole = try scratch.open()
        let keeper = try scratch.open()
        _ = try wormhole.queue("jobs", name: "worker", options: durable()) { _ in }
        wormhole.removeListeners()
        for number in 1...20 { try wormhole.send("jobs", .int(Int64(number))) }
        let listener = try wormhole.queue("jobs", name: "worker", options: durable()) { message in
            inbox.receive(message)
            if message.sequence == 10 { #expect(wormhole.close() == .pending) }
        }
        #expect(inbox.wait(for: 10).count == 10)
        for _ in 0..<20_000 where try cursor(keeper, "jobs", "worker")?.owners.isEmpty != true { usleep(1000) }
        let rest = Inbox()
        let again = try keeper.queue("jobs", name: "worker", options: durable()) { rest.receive($0) }
        #expect(rest.waitForSequence(20).map(\.sequence) == Array(11...20))
        #expect(rest.messages.allSatisfy { $0.deliveryCount == 1 })
        _ = (listener, again)
    }
}
