/// Queues the messages of one step for whoever wants them.
struct LogWriter {
    private let interests: Interests
    private let name: [UInt8]
    private var tail: LogTail?
    /// How many messages were queued for each topic.
    private var counts: [UInt64: (topic: Topic, count: UInt64)] = [:]
    private(set) var count = 0

    init(_ interests: Interests, name: [UInt8]) {
        self.interests = interests
        self.name = name
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
        try interests.forEach(in: change.identifier) { interest throws(CrosstieError) in
            isWanted = true
            counts[interest.topic.hash, default: (interest.topic, 0)].count &+= 1
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
        for (topic, count) in counts.values {
            try transaction.editInterest(topic) { $0.logged &+= count }
        }
        return tail
    }
}
