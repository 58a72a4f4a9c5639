/// Queues the messages of one step for all that need them: consecutive ones together, as far as they fit into a block.
struct LogWriter {
    private let interests: InterestTable
    private let counts: QueuedCounts
    private let wakeups: Wakeups
    private let name: [UInt8]
    private let changes: UnsafeBufferPointer<Change>
    /// Whether everything is queued, also without a consumer.
    private let isRetaining: Bool
    /// Of the first change.
    private let first: Stamp
    /// The changes that are to be one block, not written yet, and the size it will have.
    private var run = 0..<0
    private var size = 0
    /// The counts of the log's end before this step, if known, and now.
    private var before: LogTail?
    private var now: LogTail?

    init(
        _ interests: InterestTable, _ counts: QueuedCounts, _ wakeups: Wakeups,
        _ changes: UnsafeBufferPointer<Change>, _ first: Stamp, name: [UInt8], tail: LogTail?, isRetaining: Bool
    ) {
        self.interests = interests
        self.counts = counts
        self.wakeups = wakeups
        self.changes = changes
        self.first = first
        self.name = name
        self.isRetaining = isRetaining
        before = tail
    }

    /// Queues a change if a consumer needs it. Called in the order of changes.
    mutating func add(_ index: Int, to transaction: borrowing StoreTransaction) throws(CrosstieError) {
        var isWanted = isRetaining
        interests.forEach(in: changes[index].identifier) { position in
            isWanted = true
            counts.add(changes[index], at: position)
        }
        guard isWanted else { return try writeRun(to: transaction) }
        wakeups.noteQueued(first.sequence &+ UInt64(truncatingIfNeeded: index), hash: changes[index].hash)
        let more = LogRecord.size(changes[index])
        if !run.isEmpty, size &+ more > LogBlock.largestSize { try writeRun(to: transaction) }
        if run.isEmpty {
            run = index..<index
            size = LogBlock.size(name: name.count)
        }
        run = run.lowerBound..<index &+ 1
        size &+= more
    }

    /// Writes the added messages: a change may destroy some of them.
    mutating func flush(_ transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try writeRun(to: transaction)
    }

    private mutating func writeRun(to transaction: borrowing StoreTransaction) throws(CrosstieError) {
        guard !run.isEmpty else { return }
        let before = if let before { before } else { try transaction.logTail() }
        let last = now ?? before
        let tail = LogTail(index: last.index &+ UInt64(run.count), total: last.total &+ UInt64(size))
        var stamp = first
        stamp.sequence &+= UInt64(run.upperBound &- 1)
        wakeups.noteAppended(size)
        try transaction.append(changes[run], stamp, name: name, size: size, tail)
        self.before = before
        now = tail
        run = 0..<0
    }

    /// Writes the remaining messages. Returns the log's counts before and now; nil if nothing was queued.
    mutating func finish(_ transaction: borrowing StoreTransaction) throws(CrosstieError) -> (LogTail, LogTail)? {
        try writeRun(to: transaction)
        guard let before, let now else { return nil }
        return (before, now)
    }
}
