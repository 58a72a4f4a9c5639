/// State delivery of one identifier: its newest message.
final class StateFeed: Feed {
    private let topic: Topic
    private let group: Group
    /// The group's sequence number when the listener was last looked after.
    private var consumed: UInt64 = 0
    /// Whether the initial delivery is due yet.
    private var isInitialDeliveryDue: Bool
    /// Whether its last delivery was a value, so that its absence is news.
    private var hasDeliveredValue = false
    private var unreadable = UnreadableRecords()
    private var takenIn: UInt64

    init(_ topic: Topic, of group: Group, initialDelivery: Bool) {
        self.topic = topic
        self.group = group
        isInitialDeliveryDue = initialDelivery
        takenIn = group.takenInCount.load(ordering: .relaxed)
    }

    func start() throws(CrosstieError) { consumed = try group.sequence() }

    func didDeliver(_ message: Message) { unreadable.note(message) }

    func collect(into batch: inout Batch) throws(CrosstieError) {
        if group.isTakenIn(since: &takenIn) { consumed = 0 }
        let before = hasDeliveredValue
        batch = try group.read { snapshot throws(CrosstieError) in
            // It may be read more than once.
            hasDeliveredValue = before
            var batch = Batch()
            try collect(from: snapshot, into: &batch)
            return batch
        }
    }

    private func collect(
        from snapshot: borrowing StoreTransaction, into batch: inout Batch
    ) throws(CrosstieError) {
        let meta = try snapshot.meta()
        let sequence = meta.sequence(ofState: snapshot.number)
        try collect(StateView(meta: meta, consumed: consumed, upTo: sequence), from: snapshot, into: &batch)
        consumed = max(consumed, sequence)
        isInitialDeliveryDue = false
    }

    private func collect(
        _ view: StateView, from snapshot: borrowing StoreTransaction, into batch: inout Batch
    ) throws(CrosstieError) {
        var found: [(message: Message, size: Int)] = []
        try topic.text.withBytes { identifier throws(CrosstieError) in
            let stored = try snapshot.get(StoreKey.current, identifier)
            addCurrent(stored, identifier, view, &found)
            guard view.meta.lastSignal > consumed else { return }
            let signal = try snapshot.get(StoreKey.signal, identifier)
            guard let record = signal.flatMap(StateRecord.init), view.isNews(record.stamp.sequence),
                !record.hasExpired
            else { return }
            found.append((Message(record, under: identifier), 0))
        }
        if found.count > 1 { found.sort { $0.message.sequence < $1.message.sequence } }
        for item in found { batch.add(item.message, size: item.size) }
    }

    private func addCurrent(
        _ stored: UnsafeRawBufferPointer?, _ identifier: UnsafeRawBufferPointer, _ view: StateView,
        _ found: inout [(message: Message, size: Int)]
    ) {
        let record = stored.flatMap(StateRecord.init)
        if isInitialDeliveryDue {
            found.append((initialDelivery(stored, record, identifier), stored?.count ?? 0))
        } else if let record, let stored {
            addDestroyedAll(identifier, view, &found)
            if view.isNews(record.stamp.sequence), !record.hasExpired {
                found.append((Message(record, under: identifier), stored.count))
            }
        } else if stored != nil {
            if unreadable.isNews(identifier) { found.append((.unreadable(under: identifier), 0)) }
        } else {
            addDestroyedAll(identifier, view, &found)
            addForgotten(identifier, view, &found)
        }
        if let last = found.last { hasDeliveredValue = last.message.kind == .value }
    }

    private func initialDelivery(
        _ stored: UnsafeRawBufferPointer?, _ record: StateRecord?, _ identifier: UnsafeRawBufferPointer
    ) -> Message {
        if let record, record.kind == .value, !record.hasExpired { return Message(record, under: identifier) }
        let isUnreadable = stored != nil && record == nil
        return isUnreadable ? .unreadable(under: identifier) : Message(.none, under: identifier)
    }

    private func addDestroyedAll(
        _ identifier: UnsafeRawBufferPointer, _ view: StateView, _ found: inout [(message: Message, size: Int)]
    ) {
        guard view.isNews(view.meta.destroyedAll.sequence) else { return }
        found.append((Message(.destroyed, under: identifier, stamp: view.meta.destroyedAll), 0))
    }

    /// The record that said *destroyed* has been dropped for age: only that it was is known.
    private func addForgotten(
        _ identifier: UnsafeRawBufferPointer, _ view: StateView, _ found: inout [(message: Message, size: Int)]
    ) {
        guard found.isEmpty, hasDeliveredValue, view.isNews(view.meta.forgotten) else { return }
        found.append((Message(.destroyed, under: identifier, stamp: Stamp(sequence: view.meta.forgotten)), 0))
    }
}
