/// State delivery: the newest message of an identifier, or of each below a prefix.
final class StateFeed: Feed {
    let topic: Topic
    private let group: Group
    /// The group's sequence number when the listener was last looked after.
    var heard: UInt64 = 0
    /// Whether the first fire is due yet.
    var isFirstFireDue: Bool
    /// Whether it was last told a value, so that its absence is news.
    private var hasToldValue = false
    /// Under which identifiers it has been told that a record cannot be read: once is enough.
    private var toldUnreadable: Set<[UInt8]> = []
    /// Within a prefix, whose reading may take several transactions: the last key that was looked at, and the number
    /// up to which this reading goes, so that it does end.
    private var position: [UInt8] = []
    private var readingUpTo: UInt64 = 0

    init(_ topic: Topic, of group: Group, firstFire: Bool) {
        self.topic = topic
        self.group = group
        isFirstFireDue = firstFire
    }

    func start() throws(CrosstieError) { heard = try group.sequence() }

    func collect(into batch: inout Batch) throws(CrosstieError) {
        let before = (position, hasToldValue)
        batch = try group.read { snapshot throws(CrosstieError) in
            // It may be read more than once.
            (position, hasToldValue) = before
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
        if !topic.isPrefix {
            try collectOne(StateView(meta: meta, heard: heard, upTo: sequence), from: snapshot, into: &batch)
            heard = max(heard, sequence)
        } else {
            if position.isEmpty { readingUpTo = sequence }
            let view = StateView(meta: meta, heard: heard, upTo: readingUpTo)
            guard try collectPrefix(view, from: snapshot, position: &position, into: &batch) else {
                batch.hasMore = true
                return
            }
            position = []
            heard = max(heard, readingUpTo)
            // What has changed since the reading began.
            if readingUpTo < sequence { batch.hasMore = true }
        }
        isFirstFireDue = false
    }

    // MARK: One identifier

    private func collectOne(
        _ view: StateView, from snapshot: borrowing StoreTransaction, into batch: inout Batch
    ) throws(CrosstieError) {
        var found: [(message: Message, size: Int)] = []
        try topic.text.withBytes { identifier throws(CrosstieError) in
            let stored = try snapshot.get(StoreKey.current, identifier)
            addCurrent(stored, identifier, view, &found)
            guard view.meta.lastSignal > heard else { return }
            let signal = try snapshot.get(StoreKey.signal, identifier)
            guard let record = signal.flatMap(StateRecord.init), view.isNews(record.stamp.sequence) else {
                return
            }
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
        if isFirstFireDue {
            found.append((firstFire(stored, record, identifier), stored?.count ?? 0))
        } else if let record, let stored {
            addDestroyedAll(identifier, view, &found)
            if view.isNews(record.stamp.sequence) {
                found.append((Message(record, under: identifier), stored.count))
            }
        } else if stored != nil {
            if isUnreadableNews(identifier) { found.append((.unreadable(under: identifier), 0)) }
        } else {
            addDestroyedAll(identifier, view, &found)
            addForgotten(identifier, view, &found)
        }
        if let last = found.last { hasToldValue = last.message.kind == .value }
    }

    func told(_ message: Message) {
        guard message.status == .corrupt, toldUnreadable.count < StateFeed.maximumUnreadable else { return }
        toldUnreadable.insert(Array(message.identifierBytes))
    }

    /// Whether a record that cannot be read is still to be told.
    func isUnreadableNews(_ identifier: UnsafeRawBufferPointer) -> Bool {
        toldUnreadable.isEmpty || !toldUnreadable.contains(Array(identifier))
    }

    private static var maximumUnreadable: Int { 1024 }

    private func firstFire(
        _ stored: UnsafeRawBufferPointer?, _ record: StateRecord?, _ identifier: UnsafeRawBufferPointer
    ) -> Message {
        if let record, record.kind == .value { return Message(record, under: identifier) }
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
        guard found.isEmpty, hasToldValue, view.isNews(view.meta.forgotten) else { return }
        found.append((Message(.destroyed, under: identifier, stamp: Stamp(sequence: view.meta.forgotten)), 0))
    }
}

/// What is news in one state of the store.
struct StateView {
    let meta: StoreMeta
    let heard: UInt64
    /// Changes after this one are left for later.
    let upTo: UInt64

    func isNews(_ sequence: UInt64) -> Bool { sequence > heard && sequence <= upTo }
}
