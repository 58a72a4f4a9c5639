import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// A record of each type is cut and has each of its bits turned, in a group that has a bit of everything; then
/// everything is done with that group that one can do. It answers or says what is wrong.
@Suite struct WormholeDamageTests {
    private let scratch = Scratch()

    @Test(arguments: [
        StoreKey.meta, StoreKey.current, StoreKey.signal, StoreKey.tombstone, StoreKey.interest, StoreKey.cursor,
        StoreKey.waiting, StoreKey.due, StoreKey.log,
    ])
    func damagedRecord(type: UInt8) throws {
        let wormhole = try scratch.open()
        let contents = try filled(wormhole)
        let index = try #require(contents.index(of: type))
        let good = contents.records[index].bytes
        try contents.put(into: wormhole.core.group)
        #expect(try everything(with: wormhole) == [])
        var refusals: Set<Status> = []
        for bytes in good.damaged {
            try contents.with(bytes, at: index).put(into: wormhole.core.group)
            refusals.formUnion(try everything(with: wormhole))
        }
        #expect(refusals.isSubset(of: [.corruptData, .incompatibleVersion]))
        // It was nothing but the record.
        try contents.put(into: wormhole.core.group)
        #expect(try everything(with: wormhole) == [])
    }

    @Test func damagedCountsOfABadlyClosedGroupAreRefused() throws {
        let wormhole = try scratch.open()
        let contents = try filled(wormhole)
        let index = try #require(contents.index(of: StoreKey.meta))
        try contents.with([1, 0, 0], at: index).put(into: wormhole.core.group)
        wormhole.close()
        #expect(scratch.openFailure() == .corruptData)
    }

    @Test func needsOutliveTheirDamagedRecord() throws {
        let wormhole = try scratch.open()
        let feeds = [try feed(wormhole, "jobs", .queue), try feed(wormhole, "jobs", .durable)]
        for feed in feeds { try feed.start() }
        let contents = try StoreContents(of: wormhole.core.group.store)
        let index = try #require(contents.index(of: StoreKey.interest))
        try contents.with([], at: index).put(into: wormhole.core.group)
        try wormhole.send("jobs", 1)
        try wormhole.send("jobs", 2)
        for feed in feeds {
            var delivered: [Value?] = []
            try receive(feed) { delivered.append($0.value) }
            #expect(delivered == [1, 2])
        }
    }

    // MARK: What there is

    /// Messages, a signal, something destroyed, and messages that wait for two queues.
    private func filled(_ wormhole: Wormhole) throws -> StoreContents {
        try wormhole.send("gone", 1)
        try wormhole.destroy("gone")
        let feeds = [try feed(wormhole, "jobs.*", .queue), try feed(wormhole, "jobs.*", .durable)]
        for feed in feeds { try feed.start() }
        try wormhole.send("jobs.a", .map(ValueMap([("count", 3), ("to", "somebody")])))
        try wormhole.send("jobs.b", "later")
        try wormhole.signal("jobs.a")
        try wormhole.destroy("jobs.b")
        try wormhole.send("jobs.c", 7)
        var batch = Batch()
        try feeds[1].collect(into: &batch)
        // Of another name one waits for its next try.
        let failing = try feed(wormhole, "jobs.*", .durable, name: "worse")
        try failing.start()
        batch = Batch()
        try failing.collect(into: &batch)
        try #require(batch.messages.count == 1 && batch.messages[0].reject(after: .zero) == .ok)
        failing.end()
        return try StoreContents(of: wormhole.core.group.store)
    }

    private func feed(
        _ wormhole: Wormhole, _ topic: String, _ delivery: ListenOptions.Delivery, name: String = "worker"
    ) throws(CrosstieError) -> any Feed {
        var options = ListenOptions()
        options.delivery = delivery
        options.start = .oldest
        options.name = Array(name.utf8)
        return try Array(topic.utf8).withBytes { bytes throws(CrosstieError) in
            try wormhole.core.makeBinding(bytes, options, call: { _ in }, end: {}).feed
        }
    }

    // MARK: What is done

    /// Gives the statuses of what was refused.
    private func everything(with wormhole: Wormhole) throws -> Set<Status> {
        var refusals: Set<Status> = []
        func attempt(_ body: () throws(CrosstieError) -> Void) {
            do throws(CrosstieError) { try body() } catch { refusals.insert(error.status) }
        }
        attempt { () throws(CrosstieError) in _ = try wormhole.message("jobs.a") }
        attempt { () throws(CrosstieError) in _ = try wormhole.identifiers("jobs.*") }
        for topic in ["jobs.a", "jobs.*", "*"] {
            for delivery in [ListenOptions.Delivery.state, .queue, .durable] {
                attempt { () throws(CrosstieError) in
                    let listening = try feed(wormhole, topic, delivery)
                    try listening.start()
                    try receive(listening)
                }
            }
        }
        attempt { () throws(CrosstieError) in
            let listening = try feed(wormhole, "jobs.*", .durable, name: "worse")
            try listening.start()
            try receive(listening)
        }
        attempt { () throws(CrosstieError) in
            _ = try wormhole.send(many: [.value("jobs.a", 1), .signal("jobs.c"), .value("other", 2)])
        }
        attempt { () throws(CrosstieError) in try wormhole.destroy("jobs.a") }
        attempt { () throws(CrosstieError) in try wormhole.destroyAll() }
        attempt { () throws(CrosstieError) in
            try wormhole.send("jobs.a", 1)
            guard try wormhole.message("jobs.a")?.value == 1 else {
                throw CrosstieError(.notFound, "what was just passed")
            }
        }
        return refusals
    }

    /// Receives all available messages, of which there is an end.
    private func receive(_ feed: any Feed, _ body: (Message) -> Void = { _ in }) throws(CrosstieError) {
        defer { feed.end() }
        for _ in 0..<100 {
            var batch = Batch()
            try feed.collect(into: &batch)
            for message in batch.messages {
                if message.status != .ok, message.status != .corruptData { throw CrosstieError(message.status, "told") }
                body(message)
                feed.didDeliver(message)
            }
            if !batch.hasMore { return }
        }
        throw CrosstieError(.timedOut, "the feed does not end")
    }
}
