/// How many messages have been queued for each interest, by which a live queue listener that finds messages gone tells
/// how many.
///
/// It is stored now and then only: meta says up to which number everything is counted, and the rest is still in the log,
/// since nothing uncounted is removed while there are such listeners. While there are none, nothing is counted, and the
/// first one sets the number.
struct LogCounts {
    private let interests: InterestTable
    private var counts: [Int]

    init(_ interests: InterestTable) {
        self.interests = interests
        counts = [Int](repeating: 0, count: interests.interests.count)
    }

    /// Takes in what has been queued and not counted.
    mutating func addUncounted(
        of meta: StoreMeta, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        try transaction.scanLog(after: meta.counted) { _, record in
            if let record { add(1, of: Identifier(record.identifier)) }
            return .next
        }
    }

    /// Takes in messages of an identifier; nil: of everything.
    mutating func add(_ count: Int, of identifier: Identifier?) {
        interests.forEach(in: identifier) { counts[$0] &+= count }
    }

    /// Takes out one that was destroyed, for those interests of which somebody has not heard it: who has heard it has
    /// counted it, too.
    mutating func remove(_ sequence: UInt64, of identifier: Identifier?, _ heard: [UInt64]) {
        interests.forEach(in: identifier) { position in
            if sequence > heard[position] { counts[position] &-= 1 }
        }
    }

    /// Stores it, with the number up to which everything is counted.
    func store(upTo newest: UInt64, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        for (interest, count) in zip(interests.interests, counts) where count != 0 {
            try transaction.editInterest(interest.topic) { $0.add(count) }
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

    /// Removes what a change destroys: whoever has not heard it does not miss it. Before the change, which gets the
    /// number after `newest`, is made.
    ///
    /// - Parameter place: where to begin, and how many blocks may change. Nil: all at once.
    /// - Returns: where to go on, and how many messages have gone so far.
    @discardableResult
    func purge(
        _ change: Change, after newest: UInt64, from transaction: borrowing StoreTransaction,
        at place: PurgePlace? = nil
    ) throws(CrosstieError) -> PurgePlace {
        var counts = LogCounts(interests.table)
        let hasListeners = interests.table.hasListeners
        if hasListeners { try counts.addUncounted(of: try transaction.meta(), in: transaction) }
        let heard = interests.table.leastHeard(bells)
        var reached = place ?? PurgePlace(limit: .max)
        if let identifier = change.identifier {
            reached = try transaction.purgeLog(identifier, at: reached) { counts.remove($0, of: identifier, heard) }
        } else if hasListeners {
            // It is removed with everything else.
            try transaction.scanLog(after: 0) { sequence, record in
                if let record { counts.remove(sequence, of: Identifier(record.identifier), heard) }
                return .next
            }
        }
        if hasListeners { try counts.store(upTo: newest, in: transaction) }
        return reached
    }
}

/// How far the log has been looked through for what is to be destroyed.
struct PurgePlace {
    /// Up to this number it has been.
    var after: UInt64 = 0
    /// How many blocks may be changed in one transaction.
    let limit: Int
    /// Whether there is more to look through.
    var hasMore = false
    var removedCount = 0
}

extension StoreTransaction {
    /// How many messages have been queued for a topic.
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
