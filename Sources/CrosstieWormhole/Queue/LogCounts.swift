/// The number of messages queued for each interest since it was entered, and the bytes of their values. A live queue
/// listener that lost messages counts them by it, and the backlog of a durable consumer is computed from it. It is
/// never lowered: dropped and destroyed messages have been queued all the same.
///
/// It is stored now and then only: meta says up to which number everything is counted, and the rest is still in the log,
/// since nothing uncounted is removed. While there are no interests, nothing is counted, and the first one sets the number.
struct LogCounts {
    private let interests: InterestTable
    private var counts: [LogTail]

    /// - Parameter known: the queued messages that are not counted.
    init(_ interests: InterestTable, known: [LogTail]? = nil) {
        self.interests = interests
        counts = known ?? [LogTail](repeating: LogTail(), count: interests.interests.count)
    }

    /// Counts the messages that have been queued and not counted.
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
            try transaction.editInterest(interest.topic) { $0.logged.add(count) }
        }
        try transaction.edit { meta throws(CrosstieError) in meta.counted = newest }
    }
}

extension Group {
    /// Counts the queued messages, up to the newest number. The interests have been read.
    func countLogged(upTo newest: UInt64, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        let meta = try transaction.meta()
        let known = queuedCounts.take(interests.table, after: meta.counted, upTo: newest)
        var counts = LogCounts(interests.table, known: known)
        if known == nil, !interests.table.isEmpty { try counts.addUncounted(of: meta, in: transaction) }
        try counts.store(upTo: newest, in: transaction)
    }

    /// Notes that everything in the log is about to be destroyed, which all interests have counted. Listeners that have
    /// not consumed it yet miss it.
    ///
    /// - Parameter newest: the last number in it.
    func missEverything(
        upTo newest: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var cursors = try StoredCursors(transaction, knownConsumers, boot: boot)
        if !cursors.isEmpty {
            try transaction.scanLog(after: cursors.leastNext) { _, record throws(CrosstieError) in
                guard let record else { return .next }
                for index in cursors.cursors.indices { try cursors.miss(record, at: index, in: transaction) }
                return .next
            }
            try cursors.store(transaction, boot: boot)
        }
        let tail = try transaction.logTail()
        try transaction.edit { meta throws(CrosstieError) in
            meta.removed = tail
            meta.sweepPosition = 0
            meta.purged = max(meta.purged, newest)
        }
    }
}

extension StoreTransaction {
    /// The amount that has been queued for a topic since it was first wanted.
    func logged(_ topic: Topic, _ meta: StoreMeta) throws(CrosstieError) -> LogTail {
        var logged = try interest(topic)?.logged ?? LogTail()
        logged.add(try countLogged(topic, after: meta.counted))
        return logged
    }

    /// The messages of a topic in the log after a number, and up to another: their number, and the bytes of their
    /// values.
    func countLogged(
        _ topic: Topic, after number: UInt64, upTo end: UInt64 = .max
    ) throws(CrosstieError) -> LogTail {
        var count = LogTail()
        try scanLog(after: number) { sequence, record in
            guard sequence <= end else { return .stop }
            if let record, topic.covers(record) { count.add(record) }
            return .next
        }
        return count
    }
}
