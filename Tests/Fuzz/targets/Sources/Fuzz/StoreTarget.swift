@testable import Crosstie
@testable import CrosstieWormhole

/// A byte that chooses a listener's delivery and topic, then the records of a group, in pieces: the size of the key, the
/// key, the record. Every function of a group succeeds or reports an error, and returns.
enum StoreTarget {
    /// In memory.
    private static let wormhole: Wormhole? = {
        var options = WormholeOptions()
        options.isInMemory = true
        options.maximumQueued = 8
        return try? Wormhole("fuzz", options: options)
    }()

    private static let deliveries: [ListenOptions.Delivery] = [.state, .queue, .durable]
    private static let topics = ["jobs", "jobs.*", "*"].map { Array($0.utf8) }

    static func run(_ input: UnsafeRawBufferPointer) {
        guard let wormhole, let group = records(of: wormhole) else { fatalError("there is no wormhole") }
        let choice = Int(input.number(1))
        let listening = (deliveries[choice % 3], topics[choice / 3 % 3])
        attempt { () throws(CrosstieError) in try fill(group, Pieces.of(input.after(1), limit: 64)) }
        read(wormhole)
        attempt { () throws(CrosstieError) in try receive(wormhole, listening) }
        attempt { () throws(CrosstieError) in
            try wormhole.send(many: [.value("jobs.a", 1), .signal("jobs.c"), .value("jobs.a", 2)])
            demand(try wormhole.message("jobs.a")?.value == 2, "what was sent is not there")
        }
        attempt { () throws(CrosstieError) in try receive(wormhole, listening) }
        attempt { () throws(CrosstieError) in
            try wormhole.destroy("jobs.a")
            demand(try wormhole.message("jobs.a") == nil, "what was destroyed is there")
        }
        attempt { () throws(CrosstieError) in try wormhole.forget("jobs.*", name: "worker") }
        startAnew(wormhole)
    }

    /// Runs something that may fail, because of what the store holds and for no other reason.
    private static func attempt(_ body: () throws(CrosstieError) -> Void) {
        do throws(CrosstieError) {
            try body()
        } catch {
            demand(error.status == .corruptData || error.status == .incompatibleVersion, "\(error)")
        }
    }

    // MARK: What there is

    private static func records(of wormhole: Wormhole) -> Group? {
        wormhole.core.transport.records?.group
    }

    /// The group holds these records and nothing else, as if their writer had died before it could notify anybody.
    private static func fill(_ group: Group, _ pieces: [UnsafeRawBufferPointer]) throws(CrosstieError) {
        try group.lockWriters(timeout: .max / 2)
        defer { group.unlockWriters() }
        var transaction = try group.store.writing()
        try transaction.records.removeEverything()
        try transaction.put(StoreMeta())
        for piece in pieces where piece.count >= 2 {
            let key = UnsafeRawBufferPointer(rebasing: piece.after(1).prefix(max(1, Int(piece[0]))))
            let record = piece.after(1 + key.count)
            try transaction.records.reserve(key, size: record.count, isLast: false).copyBytes(from: record)
        }
        try transaction.commit()
        group.wakeups.lastTransaction.pointee.store(0, ordering: .releasing)
        group.wakeups.countInterestChange()
    }

    // MARK: What is done

    private static func read(_ wormhole: Wormhole) {
        attempt { () throws(CrosstieError) in
            for identifier in try wormhole.identifiers() {
                attempt { () throws(CrosstieError) in
                    guard let message = try wormhole.message(identifier) else {
                        return demand(false, "\(identifier) has a message and has none")
                    }
                    MessageCheck.check(message, .value)
                }
            }
        }
    }

    /// Receives all messages, in order, without a listener's thread.
    private static func receive(
        _ wormhole: Wormhole, _ listening: (delivery: ListenOptions.Delivery, topic: [UInt8])
    ) throws(CrosstieError) {
        var options = ListenOptions()
        options.delivery = listening.delivery
        options.name = Array("worker".utf8)
        options.start = .oldest
        let feed = try listening.topic.withBytes { bytes throws(CrosstieError) in
            try wormhole.core.makeBinding(bytes, options, call: { _ in }, end: {}).feed
        }
        defer { feed.end() }
        try feed.start()
        for _ in 0..<300 {
            var batch = Batch()
            try feed.collect(into: &batch)
            for message in batch.messages {
                MessageCheck.check(message)
                feed.didDeliver(message)
            }
            if !batch.hasMore { return }
        }
        demand(false, "\(listening.delivery) of \(shown(listening.topic)): there is always another message")
    }

    /// After everything was destroyed the group works.
    private static func startAnew(_ wormhole: Wormhole) {
        attempt { () throws(CrosstieError) in
            try wormhole.destroyAll()
            let found = try wormhole.identifiers()
            demand(found.isEmpty, "everything was destroyed but \(found)")
            let sent = try wormhole.send("jobs", "again")
            let message = try wormhole.message("jobs")
            demand(message?.value == "again" && message?.sequence == sent.sequence, "what was sent is not there")
        }
    }
}
