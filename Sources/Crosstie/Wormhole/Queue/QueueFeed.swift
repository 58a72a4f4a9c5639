import Synchronization

/// Queue delivery: every message in order, from the binding on.
final class QueueFeed: Feed {
    private let topic: Topic
    private let group: Group
    private let interests: QueueInterests
    private let options: ListenOptions
    private let box = AnswerBox()
    /// The number up to which everything has been collected.
    private let heard = Atomic<UInt64>(0)
    /// Whether it has stopped before the end of the log, since too much is not answered.
    private let holdsBack = Atomic(false)
    /// What had been queued for the topic when the listener had last heard everything, and how many it has collected
    /// since: by these it counts what it has missed.
    private var loggedBefore: UInt64 = 0
    private var collected: UInt64 = 0

    init(_ topic: Topic, of group: Group, interests: QueueInterests, options: ListenOptions) {
        self.topic = topic
        self.group = group
        self.interests = interests
        self.options = options
    }

    func connect(nudge: @escaping () -> Void) { box.connect(nudge: nudge) }

    func start() throws(CrosstieError) {
        let begin = try interests.add(topic)
        heard.store(options.fromOldest ? 0 : begin.heard, ordering: .relaxed)
        loggedBefore = begin.logged
    }

    func end() {
        _ = box.end()
        interests.remove(topic)
    }

    func told(_ message: Message) { box.told(message, acknowledges: !options.isManual) }

    var isQueue: Bool { true }

    var isHeldBack: Bool { holdsBack.load(ordering: .relaxed) }

    var queueHeard: UInt64? { heard.load(ordering: .relaxed) }

    func skip(to sequence: UInt64) {
        if !isHeldBack, sequence > heard.load(ordering: .relaxed) { heard.store(sequence, ordering: .relaxed) }
    }

    func collect(into batch: inout Batch) throws(CrosstieError) {
        let snapshot = try group.store.reading()
        let meta = try snapshot.meta()
        let sequence = meta.sequence(ofState: snapshot.number)
        var position = heard.load(ordering: .relaxed)
        if meta.dropped > position {
            try addMissed(snapshot, after: position, meta.dropped, into: &batch)
            position = meta.dropped
        }
        position = try collect(snapshot, after: position, upTo: sequence, into: &batch)
        heard.store(position, ordering: .relaxed)
        if batch.hasMore || isHeldBack { return }
        loggedBefore = try snapshot.interest(topic)?.logged ?? 0
        collected = 0
    }

    /// Collects from the log. Gives the number up to which it came.
    private func collect(
        _ snapshot: borrowing StoreTransaction, after position: UInt64, upTo sequence: UInt64, into batch: inout Batch
    ) throws(CrosstieError) -> UInt64 {
        _ = box.take()
        let limit = options.isManual ? max(options.maximumOpen - box.count, 0) : .max
        var count = 0
        var last = sequence
        holdsBack.store(false, ordering: .relaxed)
        try snapshot.scanLog(after: position) { number, record throws(CrosstieError) in
            guard let record, topic.covers(record) else { return .next }
            if batch.isFull || count == limit {
                batch.hasMore = count < limit
                holdsBack.store(count == limit, ordering: .relaxed)
                last = number &- 1
                return .stop
            }
            let message = Message.queued(record, for: topic)
            box.give(message)
            batch.add(message, size: record.payload.count)
            count += 1
            collected &+= 1
            return .next
        }
        return last
    }

    /// Says how many messages of the topic were dropped before the listener came to them: those that were queued since
    /// it had heard everything, but for those that it has collected and those that are still there.
    private func addMissed(
        _ snapshot: borrowing StoreTransaction, after position: UInt64, _ dropped: UInt64, into batch: inout Batch
    ) throws(CrosstieError) {
        var kept: UInt64 = 0
        try snapshot.scanLog(after: position) { _, record in
            if let record, topic.covers(record) { kept &+= 1 }
            return .next
        }
        let logged = try snapshot.interest(topic)?.logged ?? 0
        let known = collected &+ kept
        let queued = logged &- loggedBefore
        guard queued > known, logged >= loggedBefore else { return }
        collected &+= queued &- known
        topic.text.withUnsafeBytes { text in
            let notice = Message(missed: queued &- known, upTo: dropped, under: text)
            box.give(notice)
            batch.add(notice, size: 0)
        }
    }
}
