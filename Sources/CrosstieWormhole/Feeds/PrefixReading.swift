/// One collecting of a listener on a prefix, from one state of the store.
struct PrefixReading {
    let topic: Topic
    var unreadable: UnreadableRecords
    var progress: PrefixFeed.Progress
    var batch = Batch()

    init(_ topic: Topic, _ progress: PrefixFeed.Progress, known unreadable: UnreadableRecords) {
        self.topic = topic
        self.progress = progress
        self.unreadable = unreadable
    }

    mutating func read(
        _ snapshot: borrowing StoreTransaction, of group: Group, announced: UInt64
    ) throws(CrosstieError) {
        if try !deliverInitially(snapshot) { return }
        // Changes during the delivery of a plan are looked for after it.
        batch.hasMore = !progress.plan.isOver
        if progress.plan.isOver { try plan(snapshot, of: group, announced: announced) }
        try collectPlanned(snapshot)
    }

    // MARK: The initial delivery

    /// Continues the initial delivery. False if the batch is full.
    private mutating func deliverInitially(_ snapshot: borrowing StoreTransaction) throws(CrosstieError) -> Bool {
        guard let last = progress.lastInitial else { return true }
        let stem = Array(topic.stem)
        // The name after the last delivered one is that name and a zero byte.
        var found = (batch: batch, last: nil as [UInt8]?)
        let (consumed, known) = (progress.consumed, unreadable)
        try snapshot.scan(StoreKey.current, from: last.isEmpty ? stem : last + [0]) {
            identifier, stored throws(CrosstieError) in
            guard identifier.starts(with: stem) else { return .stop }
            guard let message = PrefixReading.initialDelivery(identifier, stored, upTo: consumed, known) else {
                return .next
            }
            found.batch.add(message, size: stored.count)
            guard found.batch.isFull else { return .next }
            found.last = Array(identifier)
            return .stop
        }
        batch = found.batch
        batch.hasMore = found.last != nil
        for message in batch.messages { unreadable.note(message) }
        progress.lastInitial = found.last
        return found.last == nil
    }

    /// The current message of an identifier; nil if the listener is not to get it now. Messages newer than the binding
    /// come later.
    private static func initialDelivery(
        _ identifier: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer, upTo consumed: UInt64,
        _ known: UnreadableRecords
    ) -> Message? {
        // A record under a malformed key cannot be delivered.
        guard Identifier(identifier) != nil else { return nil }
        guard let record = StateRecord(stored) else {
            return known.isNews(identifier) ? .unreadable(under: identifier) : nil
        }
        guard record.kind == .value, record.stamp.sequence <= consumed, !record.hasExpired else { return nil }
        return Message(record, under: identifier)
    }

    // MARK: Newer messages

    /// Plans the delivery of the changes since: those of the prefix notes, or, if these are incomplete, those that a look at
    /// every record below the prefix finds.
    private mutating func plan(
        _ snapshot: borrowing StoreTransaction, of group: Group, announced: UInt64
    ) throws(CrosstieError) {
        let meta = try snapshot.meta()
        let newest = meta.sequence(ofState: snapshot.number)
        guard newest > progress.consumed else { return }
        if group.isAwaited(newest, announced: announced) {
            if announced <= progress.consumed { return }
            let view = StateView(meta: meta, consumed: progress.consumed, upTo: min(announced, newest))
            var changed = ChangedNames(below: topic)
            if changed.follow(group.wakeups, after: view.consumed, upTo: view.upTo) {
                return progress.plan = try snapshot.plan(changed.names, view, unreadable, topic)
            }
        }
        let view = StateView(meta: meta, consumed: progress.consumed, upTo: newest)
        progress.plan = try snapshot.planAll(below: topic, view, unreadable)
    }

    /// Delivers planned messages, as far as the batch has room. Messages changed since the plan follow later.
    private mutating func collectPlanned(_ snapshot: borrowing StoreTransaction) throws(CrosstieError) {
        let destroyedAll = progress.plan.destroyedAll
        while !batch.isFull {
            let next = try progress.plan.withNext { item, name throws(CrosstieError) in
                (item.sequence, try snapshot.message(of: item, under: name, destroyedAll))
            }
            guard let (sequence, found) = next else {
                progress.consumed = max(progress.consumed, progress.plan.upTo)
                progress.plan = PrefixPlan()
                return
            }
            if let found { batch.add(found.message, size: found.size) }
            progress.consumed = max(progress.consumed, sequence)
            progress.plan.advance()
        }
        batch.hasMore = true
    }
}
