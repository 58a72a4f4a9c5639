/// Queues the messages of one step for whoever wants them.
struct LogWriter {
    private let interests: InterestTable
    private let name: [UInt8]
    private var tail: LogTail?
    /// How many messages were queued for each interest.
    private var counts: [UInt64]
    private(set) var count = 0

    init(_ interests: InterestTable, name: [UInt8]) {
        self.interests = interests
        self.name = name
        counts = interests.isEmpty ? [] : [UInt64](repeating: 0, count: interests.interests.count)
    }

    /// Queues a message if somebody wants it.
    @inline(__always)
    mutating func add(
        _ change: Change, _ stamp: Stamp, to transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        if change.kind == .destroyed, let identifier = change.identifier { try transaction.purgeLog(identifier) }
        if !interests.isEmpty { try append(change, stamp, to: transaction) }
    }

    private mutating func append(
        _ change: Change, _ stamp: Stamp, to transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var isWanted = false
        interests.forEach(in: change.identifier) { position in
            isWanted = true
            counts[position] &+= 1
        }
        guard isWanted else { return }
        if tail == nil { tail = try transaction.logTail() }
        var last = tail ?? LogTail()
        try transaction.append(change, stamp, name: name, after: &last)
        tail = last
        count += 1
    }

    /// Counts what was queued. Gives the log's counts; nil if nothing was.
    func finish(_ transaction: borrowing StoreTransaction) throws(CrosstieError) -> LogTail? {
        for (interest, count) in zip(interests.interests, counts) where count > 0 {
            try transaction.editInterest(interest.topic) { $0.logged &+= count }
        }
        return tail
    }
}
