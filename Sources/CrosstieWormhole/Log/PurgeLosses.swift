/// The messages that one step of a purge takes from the log, which all interests have counted. Consumers that still
/// needed them miss them: live listeners see that by the counts, durable consumers by their cursor.
struct PurgeLosses {
    private var cursors: StoredCursors
    /// Which of them may lose something.
    private var concerned: [Int]
    private let tail: LogTail
    private var count = 0
    private var size = 0
    /// The removed messages that may wait for a redelivery.
    private var numbers: [UInt64] = []

    /// - Parameter identifier: of the destroyed messages; nil: all.
    init(
        _ transaction: borrowing StoreTransaction, _ known: KnownConsumers, boot: UInt64, of identifier: Identifier?
    ) throws(CrosstieError) {
        let stored = try StoredCursors(transaction, known, boot: boot)
        concerned = stored.cursors.indices.filter { index in
            identifier.map { stored.cursors[index].topic.covers($0.bytes) } ?? true
        }
        cursors = stored
        tail = try transaction.logTail()
    }

    /// Adds a removed message.
    mutating func add(_ record: LogRecord, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        for index in concerned { try cursors.miss(record, at: index, in: transaction) }
        numbers.append(record.stamp.sequence)
    }

    /// Removes the collected messages from those that wait.
    mutating func endWaiting(in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try cursors.loseWaiting(numbers, in: transaction)
        numbers.removeAll(keepingCapacity: true)
    }

    /// Takes in how many messages a block loses, and how many bytes.
    mutating func add(_ count: Int, size: Int) {
        self.count += count
        self.size += size
    }

    /// - Parameter newest: the number up to which the destroyed messages are removed.
    func store(
        upTo newest: UInt64, in transaction: borrowing StoreTransaction, boot: UInt64
    ) throws(CrosstieError) {
        guard count > 0 else { return }
        try cursors.store(transaction, boot: boot)
        var meta = try transaction.meta()
        meta.noteRemoved(count, size: size)
        meta.purged = max(meta.purged, newest)
        try transaction.put(meta)
        // After removing the last block, the counts continue from the one before it.
        let now = try transaction.logTail()
        guard now.index < tail.index || now.total < tail.total else { return }
        meta.removed.index &-= tail.index &- now.index
        meta.removed.total &-= tail.total &- now.total
        try transaction.put(meta)
    }
}
