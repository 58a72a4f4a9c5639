/// Queues the messages of one step for whoever wants them.
struct LogWriter {
    private let interests: InterestTable
    private let name: [UInt8]
    /// What the log's last record says: before this step, and now.
    private var tails: (before: LogTail, now: LogTail)?
    /// How many messages were queued for each interest, less those that were destroyed. Wraps.
    private var counts: [UInt64]

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
        if change.kind == .destroyed, let identifier = change.identifier {
            let purged = try transaction.purgeLog(identifier)
            // What has been destroyed is not missed.
            interests.forEach(in: identifier) { counts[$0] &-= purged }
        }
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
        let before = try transaction.logTail(unless: tails?.now)
        var last = before
        try transaction.append(change, stamp, name: name, after: &last)
        tails = (tails?.before ?? before, last)
    }

    /// Counts what was queued. Gives the log's counts before and now; nil if nothing was.
    func finish(_ transaction: borrowing StoreTransaction) throws(CrosstieError) -> (LogTail, LogTail)? {
        for (interest, count) in zip(interests.interests, counts) where count != 0 {
            try transaction.editInterest(interest.topic) { $0.logged &+= count }
        }
        return tails.map { ($0.before, $0.now) }
    }
}
