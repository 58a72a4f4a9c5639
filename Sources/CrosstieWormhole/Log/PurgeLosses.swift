/// What one step of a destroying takes from the log, which all interests have counted. Whoever was to hear it yet
/// misses it: live listeners find that by the counts, and those of durable consumers are told by the cursor.
struct PurgeLosses {
    private var cursors: StoredCursors
    /// Which of them may lose something.
    private var concerned: [Int]
    private let tail: LogTail
    private var count = 0
    private var size = 0
    /// Of messages that go, and may wait for somebody's next try.
    private var numbers: [UInt64] = []

    /// - Parameter identifier: of what is destroyed; nil: everything.
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

    /// Takes in a message that goes.
    mutating func add(_ record: LogRecord, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        for index in concerned { try cursors.miss(record, at: index, in: transaction) }
        numbers.append(record.stamp.sequence)
    }

    /// What has been taken in waits no more.
    mutating func endWaiting(in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try cursors.loseWaiting(numbers, in: transaction)
        numbers.removeAll(keepingCapacity: true)
    }

    /// Takes in how many messages a block loses, and how many bytes.
    mutating func add(_ count: Int, size: Int) {
        self.count += count
        self.size += size
    }

    /// - Parameter newest: a number up to which what is destroyed goes.
    func store(
        upTo newest: UInt64, in transaction: borrowing StoreTransaction, boot: UInt64
    ) throws(CrosstieError) {
        guard count > 0 else { return }
        try cursors.store(transaction, boot: boot)
        var meta = try transaction.meta()
        meta.noteRemoved(count, size: size)
        meta.purged = max(meta.purged, newest)
        try transaction.put(meta)
        // Where the last block has gone, the counts go on from the one before it.
        let now = try transaction.logTail()
        guard now.index < tail.index || now.total < tail.total else { return }
        meta.removed.index &-= tail.index &- now.index
        meta.removed.total &-= tail.total &- now.total
        try transaction.put(meta)
    }
}
