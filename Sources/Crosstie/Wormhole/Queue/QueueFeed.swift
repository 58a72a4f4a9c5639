import Synchronization

/// Queue delivery: every message in order, from the binding on.
final class QueueFeed: Feed {
    private let topic: Topic
    private let group: Group
    private let interests: QueueInterests
    private let options: ListenOptions
    private let box: AnswerBox
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
        box = AnswerBox(acknowledges: !options.isManual)
    }

    func connect(nudge: @escaping () -> Void) { box.connect(nudge: nudge) }

    func start() throws(CrosstieError) {
        let begin = try interests.add(topic, fromOldest: options.fromOldest)
        heard.store(begin.heard, ordering: .relaxed)
        loggedBefore = begin.logged
    }

    func end() {
        _ = box.end()
        interests.remove(topic)
    }

    func told(_ message: Message) { box.told(message) }

    var isQueue: Bool { true }

    var isHeldBack: Bool { holdsBack.load(ordering: .relaxed) }

    var queueHeard: UInt64? { heard.load(ordering: .relaxed) }

    func skip(to sequence: UInt64) {
        if !isHeldBack, sequence > heard.load(ordering: .relaxed) { heard.store(sequence, ordering: .relaxed) }
    }

    func collect(into batch: inout Batch) throws(CrosstieError) {
        _ = box.take()
        // What may have to be read again changes nothing of the feed.
        let found = try group.read { snapshot throws(CrosstieError) in try look(snapshot) }
        box.give(found.batch.messages)
        batch = found.batch
        holdsBack.store(found.holdsBack, ordering: .relaxed)
        heard.store(found.position, ordering: .relaxed)
        collected = found.logged == nil ? found.collected : 0
        loggedBefore = found.logged ?? loggedBefore
    }

    /// What a look into the log has come to.
    private struct Found {
        var batch = Batch()
        /// The number up to which it came.
        var position: UInt64
        var collected: UInt64
        var holdsBack = false
        /// What had been queued for the topic, when everything has been found.
        var logged: UInt64?
    }

    private func look(_ snapshot: borrowing StoreTransaction) throws(CrosstieError) -> Found {
        let meta = try snapshot.meta()
        var found = Found(position: heard.load(ordering: .relaxed), collected: collected)
        if meta.dropped > found.position {
            try addMissed(snapshot, meta, to: &found)
            found.position = meta.dropped
        }
        try collect(snapshot, upTo: meta.sequence(ofState: snapshot.number), into: &found)
        if !found.batch.hasMore, !found.holdsBack { found.logged = try snapshot.logged(topic, meta) }
        return found
    }

    private func collect(
        _ snapshot: borrowing StoreTransaction, upTo sequence: UInt64, into found: inout Found
    ) throws(CrosstieError) {
        let limit = options.isManual ? max(options.maximumOpen - box.count, 0) : .max
        var count = 0
        var last = sequence
        try snapshot.scanLog(after: found.position) { number, record throws(CrosstieError) in
            guard let record, topic.covers(record) else { return .next }
            if found.batch.isFull || count == limit {
                found.batch.hasMore = count < limit
                found.holdsBack = count == limit
                last = number &- 1
                return .stop
            }
            let message = Message.queued(record, for: topic)
            message.answerBox = box
            found.batch.add(message, size: record.payload.count)
            count += 1
            found.collected &+= 1
            return .next
        }
        found.position = last
    }

    /// Says how many messages of the topic were dropped before the listener came to them: those that were queued since
    /// it had heard everything, but for those that it has collected and those that are still there.
    private func addMissed(
        _ snapshot: borrowing StoreTransaction, _ meta: StoreMeta, to found: inout Found
    ) throws(CrosstieError) {
        let kept = try snapshot.countLogged(topic, after: found.position)
        let logged = try snapshot.logged(topic, meta)
        let known = found.collected &+ kept
        let queued = logged &- loggedBefore
        // Fewer than are known: some of those were destroyed afterwards.
        guard queued > known, queued < 1 << 62 else { return }
        found.collected &+= queued &- known
        topic.text.withUnsafeBytes { text in
            let notice = Message(missed: queued &- known, upTo: meta.dropped, under: text)
            notice.answerBox = box
            found.batch.add(notice, size: 0)
        }
    }
}
