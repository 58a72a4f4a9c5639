import Synchronization

/// Queue delivery: every message in order, from the binding on.
final class QueueFeed: Feed {
    private let topic: Topic
    private let group: Group
    private let interests: QueueInterests
    private let options: ListenOptions
    private let box: AnswerBox
    /// The number up to which everything has been collected.
    private let consumed = Atomic<UInt64>(0)
    /// Whether it has stopped before the end of the log, since too much is not answered.
    private let holdsBack = Atomic(false)
    private var account = QueueAccount()
    private var takenIn: UInt64

    init(_ topic: Topic, of group: Group, interests: QueueInterests, options: ListenOptions) {
        self.topic = topic
        self.group = group
        self.interests = interests
        self.options = options
        box = AnswerBox(acknowledges: !options.isManual)
        takenIn = group.takenInCount.load(ordering: .relaxed)
    }

    func connect(nudge: @escaping () -> Void) { box.connect(nudge: nudge) }

    func start() throws(CrosstieError) {
        account.entry = interests.entryCount
        let begin = try interests.add(topic, from: options.start)
        consumed.store(begin.consumed, ordering: .relaxed)
        account.begin = begin.logged
    }

    func end() {
        _ = box.end()
        interests.remove(topic)
    }

    func didDeliver(_ message: Message) { box.didDeliver(message) }

    var isQueue: Bool { true }

    var isHeldBack: Bool { holdsBack.load(ordering: .relaxed) }

    var queueConsumed: UInt64? { consumed.load(ordering: .relaxed) }

    func skip(to sequence: UInt64) {
        if !isHeldBack, sequence > consumed.load(ordering: .relaxed) { consumed.store(sequence, ordering: .relaxed) }
    }

    func collect(into batch: inout Batch) throws(CrosstieError) {
        _ = box.take()
        if group.isTakenIn(since: &takenIn) { try beginAnew() }
        // A collection that may have to be repeated changes nothing of the feed.
        let found = try group.read { snapshot throws(CrosstieError) in try look(snapshot) }
        box.give(found.batch.messages)
        batch = found.batch
        account = found.account
        holdsBack.store(found.holdsBack, ordering: .relaxed)
        consumed.store(found.position, ordering: .relaxed)
    }

    /// Another group has taken this one in, with numbers of its own.
    private func beginAnew() throws(CrosstieError) {
        let begin = group.takenInAt.load(ordering: .relaxed)
        let logged = try group.read { snapshot throws(CrosstieError) in
            try snapshot.logged(topic, try snapshot.meta()).index
                &- snapshot.countLogged(topic, after: begin).index
        }
        account = QueueAccount(begin: logged, entry: interests.entryCount)
        consumed.store(begin, ordering: .relaxed)
    }

    /// The result of a look into the log.
    private struct Found {
        var batch = Batch()
        /// The number up to which it came.
        var position: UInt64
        var account: QueueAccount
        var holdsBack = false
        /// Expired messages that have not been reported, up to a number.
        var expired: (count: UInt64, upTo: UInt64) = (0, 0)
    }

    private func look(_ snapshot: borrowing StoreTransaction) throws(CrosstieError) -> Found {
        let meta = try snapshot.meta()
        var found = Found(position: consumed.load(ordering: .relaxed), account: account)
        if account.entry != interests.entryCount { try beginAgain(snapshot, meta, &found) }
        if meta.dropped > found.position {
            found.position = meta.dropped
            try addMissed(snapshot, meta, to: &found)
        }
        try collect(snapshot, meta, into: &found)
        return found
    }

    /// The limit of others' messages that a listener skips in one transaction.
    private static var longestLook: Int { 1 << 14 }

    private func collect(
        _ snapshot: borrowing StoreTransaction, _ meta: StoreMeta, into found: inout Found
    ) throws(CrosstieError) {
        let limit = options.isManual ? max(options.maximumOpen - box.count, 0) : .max
        var count = 0
        var last = meta.sequence(ofState: snapshot.number)
        var left = QueueFeed.longestLook
        try snapshot.scanLog(after: found.position) { number, record throws(CrosstieError) in
            if let record, record.hasExpired, topic.covers(record) {
                found.expired = (found.expired.count + 1, number)
                left -= 1
                if left > 0 { return .next }
                found.batch.hasMore = true
                last = number
                return .stop
            }
            guard let record, topic.covers(record) else {
                left -= 1
                if left > 0 { return .next }
                // It continues in another transaction: a long one keeps pages of the store from being reused.
                found.batch.hasMore = true
                last = number
                return .stop
            }
            reportExpired(&found)
            if number > meta.purged, found.account.purged < meta.purged {
                found.position = number &- 1
                try addMissed(snapshot, meta, to: &found)
            }
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
            found.account.collected &+= 1
            return .next
        }
        reportExpired(&found)
        found.position = last
        // Nothing is left that was queued before the last destroying.
        if !found.batch.hasMore, !found.holdsBack, found.account.purged < meta.purged {
            try addMissed(snapshot, meta, to: &found)
        }
    }

    /// Reports the number of skipped messages that have expired.
    private func reportExpired(_ found: inout Found) {
        guard found.expired.count > 0 else { return }
        found.account.collected &+= found.expired.count
        addNotice(missed: found.expired.count, upTo: found.expired.upTo, to: &found)
        found.expired = (0, 0)
    }

    private func addNotice(missed count: UInt64, upTo sequence: UInt64, to found: inout Found) {
        topic.text.withUnsafeBytes { text in
            let notice = Message(missed: count, upTo: sequence, under: text)
            notice.answerBox = box
            found.batch.add(notice, size: 0)
        }
    }

    /// Reports how many messages of the topic the listener can no longer get: those queued for it, except those that it
    /// has collected or that were reported, and those that still exist.
    private func addMissed(
        _ snapshot: borrowing StoreTransaction, _ meta: StoreMeta, to found: inout Found
    ) throws(CrosstieError) {
        if found.position >= meta.purged { found.account.purged = meta.purged }
        let kept = try snapshot.countLogged(topic, after: found.position).index
        let missed = found.account.missing(of: try snapshot.logged(topic, meta).index, kept: kept)
        guard missed > 0 else { return }
        found.account.collected &+= missed
        addNotice(missed: missed, upTo: found.position, to: &found)
    }

    /// The member was taken for dead and has entered its interests again: messages sent meanwhile were not queued for
    /// it, and their number is unknown.
    private func beginAgain(
        _ snapshot: borrowing StoreTransaction, _ meta: StoreMeta, _ found: inout Found
    ) throws(CrosstieError) {
        let kept = try snapshot.countLogged(topic, after: found.position).index
        found.account = QueueAccount(
            begin: try snapshot.logged(topic, meta).index &- kept, purged: meta.purged, entry: interests.entryCount)
    }
}
