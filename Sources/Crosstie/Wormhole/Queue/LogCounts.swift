/// How many messages have been queued for each interest since it was entered, by which a live queue listener that finds
/// messages gone tells how many. It is never lowered: what was dropped or destroyed has been queued all the same.
///
/// It is stored now and then only: meta says up to which number everything is counted, and the rest is still in the log,
/// since nothing uncounted is removed while there are such listeners. While there are none, nothing is counted, and the
/// first one sets the number.
struct LogCounts {
    private let interests: InterestTable
    private var counts: [UInt64]

    init(_ interests: InterestTable) {
        self.interests = interests
        counts = [UInt64](repeating: 0, count: interests.interests.count)
    }

    /// Takes in what has been queued and not counted.
    mutating func addUncounted(
        of meta: StoreMeta, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        try transaction.scanLog(after: meta.counted) { _, record in
            guard let record else { return .next }
            interests.forEach(in: Identifier(record.identifier)) { position in
                // Another topic may have the same hash.
                if interests.interests[position].topic.covers(record) { counts[position] &+= 1 }
            }
            return .next
        }
    }

    /// Stores it, with the number up to which everything is counted.
    func store(upTo newest: UInt64, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        for (interest, count) in zip(interests.interests, counts) where count != 0 {
            try transaction.editInterest(interest.topic) { $0.logged &+= count }
        }
        try transaction.edit { meta throws(CrosstieError) in meta.counted = newest }
    }
}

extension Group {
    /// Counts what has been queued, up to the newest number. The interests have been read.
    func countLogged(upTo newest: UInt64, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        var counts = LogCounts(interests.table)
        if interests.table.hasListeners { try counts.addUncounted(of: try transaction.meta(), in: transaction) }
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
            try transaction.scanLog(after: cursors.leastNext) { sequence, record in
                guard let record else { return .next }
                cursors.forEach { cursor in
                    if sequence > cursor.state.next, cursor.topic.covers(record) { cursor.miss(1) }
                }
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
    func logged(_ topic: Topic, _ meta: StoreMeta) throws(CrosstieError) -> UInt64 {
        (try interest(topic)?.logged ?? 0) &+ (try countLogged(topic, after: meta.counted))
    }

    /// How many messages of a topic stand in the log after a number.
    func countLogged(_ topic: Topic, after number: UInt64) throws(CrosstieError) -> UInt64 {
        var count: UInt64 = 0
        try scanLog(after: number) { _, record in
            if let record, topic.covers(record) { count &+= 1 }
            return .next
        }
        return count
    }
}
