/// How many messages have been queued for each interest since it was entered, and the bytes of their values: by which a
/// live queue listener that finds messages gone tells how many, and by which it is known how much waits for a durable
/// name. It is never lowered: what was dropped or destroyed has been queued all the same.
///
/// It is stored now and then only: meta says up to which number everything is counted, and the rest is still in the log,
/// since nothing uncounted is removed while somebody is interested. While nobody is, nothing is counted, and the first
/// one sets the number.
struct LogCounts {
    private let interests: InterestTable
    private var counts: [LogTail]

    init(_ interests: InterestTable) {
        self.interests = interests
        counts = [LogTail](repeating: LogTail(), count: interests.interests.count)
    }

    /// Takes in what has been queued and not counted.
    mutating func addUncounted(
        of meta: StoreMeta, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        try transaction.scanLog(after: meta.counted) { _, record in
            guard let record else { return .next }
            interests.forEach(in: Identifier(record.identifier)) { position in
                // Another topic may have the same hash.
                if interests.interests[position].topic.covers(record) { counts[position].add(record) }
            }
            return .next
        }
    }

    /// Stores it, with the number up to which everything is counted.
    func store(upTo newest: UInt64, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        for (interest, count) in zip(interests.interests, counts) where count.index != 0 {
            try transaction.editInterest(interest.topic) { $0.logged = $0.logged.advanced(by: count) }
        }
        try transaction.edit { meta throws(CrosstieError) in meta.counted = newest }
    }
}

extension Group {
    /// Counts what has been queued, up to the newest number. The interests have been read.
    func countLogged(upTo newest: UInt64, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        var counts = LogCounts(interests.table)
        if !interests.table.isEmpty { try counts.addUncounted(of: try transaction.meta(), in: transaction) }
        try counts.store(upTo: newest, in: transaction)
    }

    /// Notes that everything in the log is about to be destroyed, which all interests have counted. Whoever was to hear
    /// it yet misses it.
    ///
    /// - Parameter newest: the last number of what is in it.
    func missEverything(
        upTo newest: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var cursors = try StoredCursors(transaction, boot: boot)
        if !cursors.isEmpty {
            try transaction.scanLog(after: cursors.leastNext) { _, record in
                guard let record else { return .next }
                cursors.forEach { $0.miss(record) }
                return .next
            }
            try cursors.store(transaction, boot: boot)
        }
        let tail = try transaction.logTail()
        try transaction.edit { meta throws(CrosstieError) in
            meta.removed = tail
            meta.sweepPlace = 0
            meta.purged = max(meta.purged, newest)
        }
    }
}

extension StoreTransaction {
    /// How many messages have been queued for a topic since it was first wanted.
    func logged(_ topic: Topic, _ meta: StoreMeta) throws(CrosstieError) -> LogTail {
        (try interest(topic)?.logged ?? LogTail()).advanced(by: try countLogged(topic, after: meta.counted))
    }

    /// How many messages of a topic stand in the log after a number.
    func countLogged(_ topic: Topic, after number: UInt64) throws(CrosstieError) -> LogTail {
        var count = LogTail()
        try scanLog(after: number) { _, record in
            if let record, topic.covers(record) { count.add(record) }
            return .next
        }
        return count
    }

    /// How much waits to be handed out for the first time, when a durable name of a topic has taken so much of it.
    func backlog(_ topic: Topic, taken: LogTail) throws(CrosstieError) -> LogTail {
        try logged(topic, try meta()).ahead(of: taken)
    }
}

extension LogTail {
    /// Counts a message with the bytes of its value.
    @inline(__always)
    mutating func add(_ record: LogRecord) {
        index &+= 1
        total &+= UInt64(clamping: record.payload.count)
    }

    func advanced(by more: LogTail) -> LogTail { LogTail(index: index &+ more.index, total: total &+ more.total) }

    func less(_ other: LogTail) -> LogTail { LogTail(index: index &- other.index, total: total &- other.total) }

    /// How much it is ahead of other counts; nothing where damage has put it behind.
    func ahead(of other: LogTail) -> LogTail {
        let (index, total) = (index &- other.index, total &- other.total)
        guard index > 0, index < 1 << 62 else { return LogTail() }
        return LogTail(index: index, total: total < 1 << 62 ? total : 0)
    }
}
