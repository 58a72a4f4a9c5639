/// Queues the messages of one step for whoever wants them.
struct LogWriter {
    private let interests: InterestTable
    private let name: [UInt8]
    /// What the log's last record says: before this step, and now.
    private var tails: (before: LogTail, now: LogTail)?
    /// How many messages were queued for each interest, less those that were destroyed.
    private var counts: [Int]

    init(_ interests: InterestTable, name: [UInt8]) {
        self.interests = interests
        self.name = name
        counts = interests.isEmpty ? [] : [Int](repeating: 0, count: interests.interests.count)
    }

    /// Whether anybody wants anything.
    @inline(__always)
    var isOpen: Bool { !interests.isEmpty }

    /// Removes what a change destroys: it is not missed. Before the change is made.
    mutating func purge(_ change: Change, from transaction: borrowing StoreTransaction) throws(CrosstieError) {
        guard let identifier = change.identifier else {
            return try transaction.scanLog(after: 0) { _, record in
                if let record { interests.forEach(in: Identifier(record.identifier)) { counts[$0] &-= 1 } }
                return .next
            }
        }
        let purged = try transaction.purgeLog(identifier)
        interests.forEach(in: identifier) { counts[$0] &-= purged }
    }

    /// Queues a message if somebody wants it.
    mutating func add(
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
            try transaction.editInterest(interest.topic) { $0.add(count) }
        }
        return tails.map { ($0.before, $0.now) }
    }
}
