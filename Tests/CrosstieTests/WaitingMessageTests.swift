import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// The waiting messages of a durable consumer, in a group's store.
@Suite struct WaitingMessageTests {
    private let scratch = Scratch()

    private struct Bench {
        let wormhole: Wormhole
        var group: Group { wormhole.core.group }

        func feed(_ topic: String = "jobs.*") throws(CrosstieError) -> any Feed {
            var options = ListenOptions()
            options.delivery = .durable
            options.isManual = true
            options.maximumUnacknowledged = 1024
            options.start = .oldest
            options.name = Array("worker".utf8)
            return try Array(topic.utf8).withBytes { bytes throws(CrosstieError) in
                try wormhole.core.makeBinding(bytes, options, call: { _ in }, end: {}).feed
            }
        }

        func cursor(_ topic: String = "jobs.*") throws -> CursorState {
            let topic = try Array(topic.utf8).withBytes { bytes throws(CrosstieError) in try Topic(bytes) }
            let key = CursorKey(topic, name: Array("worker".utf8))
            return try #require(try group.store.reading().cursor(key, boot: group.boot))
        }

        func firstLogged() throws -> UInt64? {
            let snapshot = try group.store.reading()
            var first: UInt64?
            try snapshot.scanLog(after: 0) { sequence, _ in
                first = sequence
                return .stop
            }
            return first
        }

        /// Records of both types.
        func waitingRecords() throws -> Int {
            try StoreContents(of: group.store).records.count {
                [StoreKey.waiting, StoreKey.due].contains($0.key.first)
            }
        }

        /// Has messages passed, and rejected for an hour.
        func reject(_ identifiers: [String], topic: String = "jobs.*") throws -> any Feed {
            let feed = try feed(topic)
            try feed.start()
            for (number, identifier) in identifiers.enumerated() {
                try wormhole.send(identifier, .int(Int64(number)))
            }
            let delivered = try receive(feed)
            try #require(delivered.count == identifiers.count)
            for message in delivered { #expect(message.reject(after: .seconds(3600)) == .ok) }
            #expect(try receive(feed).isEmpty)
            return feed
        }

        /// The available messages.
        func receive(_ feed: any Feed) throws -> [Message] {
            var delivered: [Message] = []
            for _ in 0..<100 {
                var batch = Batch()
                try feed.collect(into: &batch)
                for message in batch.messages { feed.didDeliver(message) }
                delivered += batch.messages
                if !batch.hasMore { break }
            }
            return delivered
        }
    }

    private let many = (0..<50).map { "jobs.\($0 % 2)" }

    @Test func isInNobodysHands() throws {
        let bench = Bench(wormhole: try scratch.open())
        let feed = try bench.reject(many)
        #expect(try bench.cursor().outstanding.isEmpty && bench.cursor().waitingCount == 50)
        #expect(try bench.waitingRecords() == 100)
        feed.end()
    }

    @Test func goesWhenItsNameIsForgotten() throws {
        let bench = Bench(wormhole: try scratch.open())
        let (first, other) = (try bench.reject(many), try bench.reject(["other"], topic: "other"))
        first.end()
        #expect(try bench.wormhole.forget("jobs.*", name: "worker"))
        #expect(try bench.waitingRecords() == 2 && bench.cursor("other").waitingCount == 1)
        other.end()
    }

    @Test func goesInSteps() throws {
        let bench = Bench(wormhole: try scratch.open())
        let first = try bench.reject((0..<700).map { _ in "jobs.1" })
        first.end()
        #expect(try bench.waitingRecords() == 1400)
        #expect(try bench.wormhole.forget("jobs.*", name: "worker"))
        #expect(try bench.waitingRecords() == 0)
    }

    @Test func ofANameThatWasHalfForgottenGoesWithTheNext() throws {
        let bench = Bench(wormhole: try scratch.open())
        let old = WaitingMessage(sequence: 3, attempts: 1, due: DueTime(era: 0, clock: 9))
        try bench.group.transact(timeout: 1_000_000_000) { transaction, _ throws(CrosstieError) in
            for identity: UInt64 in [1, .max] { try transaction.put(old, of: identity) }
        }
        let feed = try bench.reject(many)
        #expect(try bench.waitingRecords() == 100)
        feed.end()
    }

    @Test func goesWhenItIsDestroyed() throws {
        let bench = Bench(wormhole: try scratch.open())
        let feed = try bench.reject(many)
        try bench.wormhole.destroy("jobs.1")
        #expect(try bench.cursor().waitingCount == 25 && bench.cursor().missed == 0)
        #expect(try bench.waitingRecords() == 50)
        #expect(try bench.receive(feed).map(\.kind) == [.destroyed])
        feed.end()
    }

    @Test func goesWhenEverythingIsDestroyed() throws {
        let bench = Bench(wormhole: try scratch.open())
        let feed = try bench.reject(many)
        try bench.wormhole.destroyAll()
        #expect(try bench.cursor().waitingCount == 0 && bench.cursor().missed == 0)
        #expect(try bench.waitingRecords() == 0)
        #expect(try bench.receive(feed).map(\.kind) == [.destroyed])
        feed.end()
    }

    /// It was delivered, so it is not reported as missed.
    @Test func goesWhenTheLogIsTooLong() throws {
        var options = scratch.options()
        options.maximumQueued = 20
        let bench = Bench(wormhole: try Wormhole("test", options: options))
        let feed = try bench.feed()
        try feed.start()
        var delivered: [Message] = []
        for _ in 0..<40 {
            for _ in 0..<10 { try bench.wormhole.send("jobs.1", 0) }
            let consumed = try bench.receive(feed)
            for message in consumed { #expect(message.reject(after: .seconds(3600)) == .ok) }
            delivered += consumed
            #expect(try bench.receive(feed).isEmpty)
        }
        #expect(delivered.map(\.sequence) == Array(1...400))
        let cursor = try bench.cursor()
        #expect(cursor.waitingCount >= 20 && cursor.waitingCount < 100 && cursor.missed == 0)
        #expect(try bench.waitingRecords() == 2 * Int(cursor.waitingCount))
        #expect(try bench.firstLogged() == bench.group.store.reading().firstWaiting(of: cursor.identity, from: 0))
        feed.end()
    }

    @Test func keepsItsMessageInTheLog() throws {
        let bench = Bench(wormhole: try scratch.open())
        let feed = try bench.reject(["jobs.a"])
        for _ in 0..<20 {
            for _ in 0..<50 { try bench.wormhole.send("jobs.b", 0) }
            for message in try bench.receive(feed) { message.acknowledge() }
        }
        #expect(try bench.firstLogged() == 1)
        feed.end()
    }

    @Test func comesAgainOnAHostsTransport() throws {
        let host = FakeHost()
        var options = WormholeOptions()
        options.transport = host.transport()
        let bench = Bench(wormhole: try Wormhole("host", options: options))
        let feed = try bench.feed()
        try feed.start()
        for number in 0..<50 { try bench.wormhole.send("jobs.1", .int(Int64(number))) }
        for message in try bench.receive(feed) { #expect(message.reject(after: .zero) == .ok) }
        var delivered: [Message] = []
        while delivered.count < 50 { delivered += try bench.receive(feed) }
        #expect(delivered.map(\.sequence) == Array(1...50) && delivered.allSatisfy { $0.deliveryCount == 2 })
        for message in delivered { message.acknowledge() }
        _ = try bench.receive(feed)
        #expect(!host.keys.contains { [StoreKey.waiting, StoreKey.due].contains($0.first) })
        feed.end()
    }

    /// A damaged record is said to be one, again and again, until the name is forgotten; others are not concerned.
    @Test(arguments: [StoreKey.waiting, StoreKey.due])
    func damageIsSaid(type: UInt8) throws {
        let bench = Bench(wormhole: try scratch.open())
        let feed = try bench.feed()
        try feed.start()
        try bench.wormhole.send("jobs.1", 1)
        for message in try bench.receive(feed) { #expect(message.reject(after: .zero) == .ok) }
        var batch = Batch()
        feed.end()
        let stored = try StoreContents(of: bench.group.store)
        let index = try #require(stored.index(of: type))
        for bytes in [[], [1], stored.records[index].bytes + [0]] as [[UInt8]] {
            try stored.with(bytes, at: index).put(into: bench.group)
            let again = try bench.feed()
            try again.start()
            #expect(status { try again.collect(into: &batch) } == .corruptData)
            again.end()
            #expect(status { _ = try bench.wormhole.send("jobs.2", 1) } == .ok)
        }
        #expect(try bench.wormhole.forget("jobs.*", name: "worker"))
        #expect(try bench.waitingRecords() == 0)
    }
}

/// The cost of operations on waiting messages: as many records with many of them as with few.
@Suite struct WaitingCostTests {
    /// Touches of records by: making one wait, giving ten out again, and what a look and a trimmer ask.
    private func touches(waiting: UInt64) throws -> [Int] {
        let store = MemoryStore(maximumSize: 1 << 30)
        defer { store.close() }
        var cursor = CursorState(identity: 1, next: 0)
        var counts: [Int] = []
        let touches = TouchCounter(try store.beginWriting())
        let transaction = StoreTransaction(touches)
        for sequence in 1...waiting {
            _ = cursor.claim(sequence, by: 5)
            var made: [WaitingMessage] = []
            let answer = Answer(sequence: sequence, outcome: .rejected(notBefore: sequence * 1000))
            _ = cursor.reconcile([answer], of: 5, waiting: &made)
            touches.count = 0
            for message in made { try transaction.put(message, of: 1) }
        }
        counts.append(touches.take())
        _ = try transaction.nextDue(of: cursor)
        counts.append(touches.take())
        let claimed = try transaction.claimDue(from: &cursor, at: 10_000, by: 5, limit: 100)
        #expect(claimed.count == 10)
        counts.append(touches.take())
        #expect(try transaction.claimDue(from: &cursor, at: 10_500, by: 5, limit: 100).isEmpty)
        counts.append(touches.take())
        var reader = WaitingReader(of: cursor)
        #expect(try reader.first(in: transaction) == 11)
        #expect(try !reader.contains(waiting + 1, in: transaction) && reader.contains(waiting, in: transaction))
        counts.append(touches.take())
        try transaction.removeWaiting(waiting, of: 1)
        counts.append(touches.take())
        return counts
    }

    @Test func isTheSameForManyAndForFew() throws {
        let few = try touches(waiting: 20)
        #expect(try touches(waiting: 100_000) == few)
        #expect(few.allSatisfy { $0 > 0 && $0 <= 50 })
    }
}

/// Counts the records that a transaction touches.
private final class TouchCounter: RecordTransaction {
    private let base: any RecordTransaction
    var count = 0

    init(_ base: any RecordTransaction) { self.base = base }

    func take() -> Int {
        defer { count = 0 }
        return count
    }

    var number: UInt64 { base.number }

    func get(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        count += 1
        return try base.get(key)
    }

    func reserve(
        _ key: UnsafeRawBufferPointer, size: Int, isLast: Bool
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        count += 1
        return try base.reserve(key, size: size, isLast: isLast)
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CrosstieError) {
        count += 1
        try base.remove(key)
    }

    func removeEverything() throws(CrosstieError) { try base.removeEverything() }

    func scan(from start: UnsafeRawBufferPointer, _ body: Scan) throws(CrosstieError) {
        try base.scan(from: start) { key, record throws(CrosstieError) in
            count += 1
            return try body(key, record)
        }
    }

    func last() throws(CrosstieError) -> (key: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer)? {
        try base.last()
    }

    func commit() throws(CrosstieError) { try base.commit() }

    func end() { base.end() }
}
