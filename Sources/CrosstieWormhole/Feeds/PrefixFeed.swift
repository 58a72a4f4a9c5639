/// State delivery below a prefix: first the current messages, in the order of identifiers; then the newest message of
/// each identifier that has changed since, in the order of numbers.
final class PrefixFeed: Feed {
    private let topic: Topic
    private let group: Group
    private var progress: Progress
    private var takenIn: UInt64
    private var unreadable = UnreadableRecords()

    /// Its progress. Each reading makes values of it again, because it may have to be repeated.
    struct Progress {
        /// Everything up to this number has been delivered.
        var consumed: UInt64 = 0
        /// During the initial delivery, the last delivered identifier.
        var lastInitial: [UInt8]?
        var plan = PrefixPlan()
    }

    init(_ topic: Topic, of group: Group, initialDelivery: Bool) {
        self.topic = topic
        self.group = group
        progress = Progress(lastInitial: initialDelivery ? [] : nil)
        takenIn = group.takenInCount.load(ordering: .relaxed)
    }

    func start() throws(CrosstieError) { progress.consumed = try group.sequence() }

    func skip(to sequence: UInt64) {
        guard progress.lastInitial == nil, progress.plan.isOver else { return }
        progress.consumed = max(progress.consumed, sequence)
    }

    func didDeliver(_ message: Message) { unreadable.note(message) }

    func collect(into batch: inout Batch) throws(CrosstieError) {
        if group.isTakenIn(since: &takenIn) { progress = Progress() }
        let before = progress
        let announced = group.announced
        (batch, progress) = try group.read { snapshot throws(CrosstieError) in
            var reading = PrefixReading(topic, before, known: unreadable)
            try reading.read(snapshot, of: group, announced: announced)
            return (reading.batch, reading.progress)
        }
    }
}

extension StoreTransaction {
    /// The current state of a planned message; nil if it has changed since.
    func message(
        of item: PrefixPlan.Item, under name: UnsafeRawBufferPointer, _ destroyedAll: Stamp
    ) throws(CrosstieError) -> (message: Message, size: Int)? {
        switch item.what {
        case .destroyedAll: return (Message(.destroyed, under: name, stamp: destroyedAll), 0)
        case .forgotten: return (Message(.destroyed, under: name, stamp: Stamp(sequence: item.sequence)), 0)
        case .current, .signal:
            let type = item.what == .current ? StoreKey.current : StoreKey.signal
            guard let stored = try get(type, name) else { return nil }
            guard let record = StateRecord(stored) else { return (.unreadable(under: name), 0) }
            guard record.stamp.sequence == item.sequence, !record.hasExpired else { return nil }
            return (Message(record, under: name), stored.count)
        }
    }
}
