/// The queued messages to be destroyed, and the progress so far.
///
/// The log is searched while others write. Found messages are removed a few at a time, each in a step of its own, so
/// that no writer waits for longer than such a step takes.
struct Purge {
    /// Nil: everything.
    let identifier: Identifier?
    /// Whether it removes expired messages only.
    var isOfExpired = false
    /// Messages of lower numbers are destroyed.
    let end: UInt64
    /// Up to this number the log has been looked through.
    var reached: UInt64 = 0
    /// Blocks that hold some of it and are still to be changed, by their numbers, in this order.
    var blocks: ArraySlice<UInt64> = []
    /// The most blocks that one step changes.
    var limit = Purge.largestLimit
    var removedCount = 0

    static var largestLimit: Int { 256 }
    /// In a store that is full: a change needs pages that are free.
    static var smallestLimit: Int { 8 }
    /// Blocks that are looked at in one reading: it keeps their pages from being used again.
    static var longestReading: Int { 4096 }

    init(of identifier: Identifier?, before end: UInt64, limit: Int = Purge.largestLimit) {
        self.identifier = identifier
        self.end = end
        self.limit = limit
    }

    /// A purge of expired messages.
    init(expiredBefore end: UInt64) {
        self.init(of: nil, before: end)
        isOfExpired = true
    }

    var isOver: Bool { blocks.isEmpty && isRead }

    private var isRead: Bool { reached &+ 1 >= end }

    private func isMeant(_ record: LogRecord) -> Bool {
        guard record.stamp.sequence < end else { return false }
        if isOfExpired { return record.hasExpired }
        guard let identifier else { return true }
        return equalBytes(record.identifier, identifier.bytes)
    }

    /// Whether a block has such messages. An unreadable one is removed, too.
    private func isMeant(_ block: LogBlock?, _ sequence: UInt64) throws(CrosstieError) -> Bool {
        guard let block else { return sequence < end && !isOfExpired }
        return try block.forEach { _, record in record.map(isMeant) == true ? .stop : .next } == .stop
    }

    // MARK: Looking

    /// Looks for the next blocks.
    /// - Parameter wakeups: know the possible positions; nil: unknown.
    mutating func look(_ snapshot: borrowing StoreTransaction, _ wakeups: Wakeups?) throws(CrosstieError) {
        guard blocks.isEmpty, !isRead else { return }
        var left = Purge.longestReading
        var found: [UInt64] = []
        try skipToFirst(snapshot)
        while !isRead, left > 0, found.count < limit {
            guard let stretch = nextStretch(wakeups) else { return finish(found) }
            try look(snapshot, in: stretch, &left, &found)
        }
        blocks = found[...]
    }

    private mutating func finish(_ found: [UInt64]) {
        reached = end &- 1
        blocks = found[...]
    }

    private func nextStretch(_ wakeups: Wakeups?) -> (first: UInt64, last: UInt64)? {
        guard let wakeups, let identifier else { return (reached &+ 1, end &- 1) }
        return wakeups.nextQueued(after: reached, below: end, hash: identifier.hash).map { ($0, min($1, end &- 1)) }
    }

    /// Skips the numbers before the log's first one.
    private mutating func skipToFirst(_ snapshot: borrowing StoreTransaction) throws(CrosstieError) {
        var first = end
        try snapshot.scanBlocks(after: reached) { sequence, block throws(CrosstieError) in
            first = sequence
            _ = try block?.forEach { sequence, _ in
                first = min(first, sequence)
                return .stop
            }
            return .stop
        }
        reached = max(reached, min(first, end) &- 1)
    }

    private mutating func look(
        _ snapshot: borrowing StoreTransaction, in stretch: (first: UInt64, last: UInt64), _ left: inout Int,
        _ found: inout [UInt64]
    ) throws(CrosstieError) {
        // Unless it stops at a block it has come to the log's end.
        var skipped = end &- 1
        let purge = self
        try snapshot.scanBlocks(after: stretch.first &- 1) { sequence, block throws(CrosstieError) in
            left -= 1
            if try purge.isMeant(block, sequence) { found.append(sequence) }
            guard sequence < stretch.last, left > 0, found.count < purge.limit else {
                skipped = sequence
                return .stop
            }
            return .next
        }
        reached = min(skipped, end &- 1)
    }

    // MARK: Removing

    /// Removes its messages from the next blocks, as many as one step may.
    mutating func removeSome(
        from transaction: borrowing StoreTransaction, _ losses: inout PurgeLosses
    ) throws(CrosstieError) {
        let begin = Clock.now()
        var (left, size) = (limit, 0)
        while let sequence = blocks.first, left > 0, size < Purge.largestStep {
            blocks = blocks.dropFirst()
            size += try remove(sequence, from: transaction, &losses)
            try losses.endWaiting(in: transaction)
            left -= 1
            guard Clock.now() &- begin < Purge.longestStep else { return }
        }
    }

    /// Nanoseconds, and bytes, that one step takes before it is committed.
    private static var longestStep: UInt64 { 700_000 }
    private static var largestStep: Int { 4 << 20 }

    /// Returns the size of the block before the change; 0 if it no longer exists.
    private mutating func remove(
        _ sequence: UInt64, from transaction: borrowing StoreTransaction, _ losses: inout PurgeLosses
    ) throws(CrosstieError) -> Int {
        try StoreKey.with(StoreKey.log, sequence: sequence) { key throws(CrosstieError) in
            guard let stored = try transaction.records.get(key) else { return 0 }
            let size = stored.count
            guard let block = LogBlock(stored, sequence: sequence) else {
                try transaction.records.remove(key)
                return size
            }
            let (kept, removed) = try block.keeping { record throws(CrosstieError) in
                guard isMeant(record) else { return true }
                try losses.add(record, in: transaction)
                return false
            }
            guard removed > 0 else { return size }
            removedCount += removed
            losses.add(removed, size: size - (kept?.count ?? 0))
            if let kept {
                try transaction.replaceBlock(sequence, kept)
            } else {
                try transaction.records.remove(key)
            }
            return size
        }
    }
}
