/// Removes unneeded messages from the log, and the oldest ones when the limits are exceeded, in one transaction.
///
/// At the front it removes as many messages as have been appended, and stops at the first block that a consumer needs.
/// *Sweeps* search the rest of the log, when it has grown by as much as the last sweep left, or beyond a limit. A sweep
/// takes many transactions, each with a few steps for each appended message: the cost of a message does not depend on
/// the length of the log. After a sweep every remaining message was needed: then the oldest ones are dropped, as far as
/// the limits are exceeded.
struct LogTrimmer {
    let limits: StoreLimits
    /// The state of the log's end.
    let tail: LogTail
    var view: TrimView
    var meta: StoreMeta
    var removedCount = 0
    var hasChanged = false

    /// The limit of one transaction's work.
    struct Budget {
        /// Messages that are looked at in a sweep.
        var visits: Int
        /// Pages of the store that a sweep changes, about.
        var pages: Int
        /// Messages removed at the front.
        var removals: Int

        /// The budget of a transaction that appends so many messages.
        init(appended count: Int) {
            visits = max(min(16 * count, 1 << 14), 2 * count)
            pages = 8 + count / 2
            removals = 2 * count
        }
    }

    init(
        _ limits: StoreLimits, _ view: TrimView, _ meta: StoreMeta, tail: LogTail
    ) {
        self.limits = limits
        self.view = view
        self.meta = meta
        self.tail = tail
    }

    /// The size of the log. Damaged counts never make it too large.
    var live: LogTail {
        LogTail(
            index: tail.index >= meta.removed.index ? tail.index - meta.removed.index : 0,
            total: tail.total >= meta.removed.total ? tail.total - meta.removed.total : 0)
    }

    /// The limit of the log: the messages that the group keeps for queues, and those that it keeps without a consumer.
    var most: LogTail {
        LogTail(
            index: LogTrimmer.sum(
                limits.queuedCount, retained(limits.retainCount, limits.queuedCount), view.protected.index),
            total: LogTrimmer.sum(
                limits.queuedSize, retained(limits.retainSize, limits.queuedSize), view.protected.total))
    }

    /// The messages kept without a consumer, and room for those that become too old behind a running sweep.
    func retained(_ limit: UInt64, _ queued: UInt64) -> UInt64 {
        limits.retains ? LogTrimmer.sum(limit, limit / 4, queued / 8, 256) : 0
    }

    static func sum(_ numbers: UInt64...) -> UInt64 {
        numbers.reduce(0) { UInt64.max - $0 < $1 ? .max : $0 + $1 }
    }

    var isTooMuch: Bool { live.exceeds(most) }

    /// Stores the counts.
    mutating func finish(_ transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try view.finish(transaction)
        if hasChanged { try transaction.put(meta) }
    }

    mutating func noteRemoved(_ count: Int, size: Int) {
        removedCount += count
        meta.noteRemoved(count, size: size)
        hasChanged = true
    }

    // MARK: The front

    /// Removes blocks from the front of the log as long as no consumer needs them.
    mutating func trimFront(
        _ transaction: borrowing StoreTransaction, _ budget: Budget
    ) throws(CrosstieError) {
        try transaction.scanBlocks(after: 0) { _, block throws(CrosstieError) in
            guard removedCount < budget.removals else { return .stop }
            guard let block else {
                removedCount += 1
                return .remove
            }
            if try view.needs(block, transaction) { return .stop }
            noteRemoved(block.count, size: block.size)
            return .remove
        }
    }

    // MARK: Sweeping

    /// Continues a sweep, or begins one that is due, and drops the excess when it has ended.
    /// - Parameter newest: the number of the last message.
    mutating func keepLimits(
        _ transaction: borrowing StoreTransaction, _ budget: Budget, newest: UInt64
    ) throws(CrosstieError) {
        if meta.sweepPosition != LogTrimmer.isDropping {
            if meta.sweepPosition == 0 {
                guard isSweepDue else { return }
                beginSweep(upTo: newest)
            }
            if try !sweep(transaction, budget), !isFarTooMuch { return }
        }
        hasChanged = true
        let isEnough = try dropOldest(transaction, budget)
        // The sweep does not keep up with the new messages: it continues.
        guard meta.sweepPosition == 0 || meta.sweepPosition == LogTrimmer.isDropping else { return }
        if isEnough { planSweep() } else { meta.sweepPosition = LogTrimmer.isDropping }
    }

    /// Stands for the position of a sweep while the surplus is being dropped.
    static var isDropping: UInt64 { .max }

    var isSweepDue: Bool { tail.index >= meta.sweepDue.index || tail.total >= meta.sweepDue.total }

    var isFarTooMuch: Bool {
        let most = most
        return live.exceeds(
            LogTail(
                index: LogTrimmer.sum(most.index, limits.queuedCount / 2),
                total: LogTrimmer.sum(most.total, limits.queuedSize / 2)))
    }

    /// Begins a sweep, behind the last one's end if everything before that is still needed.
    mutating func beginSweep(upTo newest: UInt64) {
        let isStillNeeded =
            !view.isTimed
            && meta.swept == view.fingerprint(upTo: meta.sweptUpTo, dropped: meta.dropped)
        meta.sweepPosition = isStillNeeded ? meta.sweptUpTo : 0
        meta.sweptUpTo = newest
        meta.swept = view.fingerprint(upTo: newest, dropped: meta.dropped)
    }

    /// Looks through the log from its beginning, as far as may be at once.
    mutating func sweepFromFront(
        _ transaction: borrowing StoreTransaction, _ budget: Budget
    ) throws(CrosstieError) {
        meta.sweepPosition = 0
        _ = try sweep(transaction, budget)
    }

    /// Searches the log for unneeded messages. True at the end of the log.
    mutating func sweep(
        _ transaction: borrowing StoreTransaction, _ budget: Budget
    ) throws(CrosstieError) -> Bool {
        var (visits, pages) = (budget.visits, budget.pages)
        var reached = meta.sweepPosition
        var isOver = true
        // Bytes of kept messages since the last removal: a measure for the changed page.
        var kept = 0
        var shortened: [(sequence: UInt64, bytes: [UInt8])] = []
        try transaction.scanBlocks(after: meta.sweepPosition) { sequence, block throws(CrosstieError) in
            guard visits > 0, pages > 0 else {
                isOver = false
                return .stop
            }
            reached = sequence
            visits -= block?.count ?? 1
            guard let block else { return .remove }
            kept += block.sizeInPage
            let needless = try view.needless(in: block, transaction)
            if needless.isEmpty { return .next }
            visits -= 4
            if kept > 2048 { (pages, kept) = (pages - 1, 0) }
            let (bytes, removed) = try block.keeping { !needless.contains($0.stamp.sequence) }
            noteRemoved(removed, size: block.size - (bytes?.count ?? 0))
            guard let bytes else { return .remove }
            shortened.append((sequence, bytes))
            return .next
        }
        for (sequence, bytes) in shortened { try transaction.replaceBlock(sequence, bytes) }
        meta.sweepPosition = isOver ? 0 : reached
        hasChanged = true
        return isOver
    }

    /// The next sweep comes when the log may have doubled, or when it has grown beyond a limit: by an eighth of that at
    /// least.
    mutating func planSweep() {
        meta.sweepPosition = 0
        meta.sweepDue = LogTail(
            index: tail.index &+ LogTrimmer.growth(live.index, most.index, least: 1024),
            total: tail.total &+ LogTrimmer.growth(live.total, most.total, least: 1 << 20))
    }

    static func growth(_ kept: UInt64, _ limit: UInt64, least: UInt64) -> UInt64 {
        let untilLimit = kept < limit ? limit - kept &+ 1 : 1
        return min(kept &+ least, max(untilLimit, limit / 8))
    }
}
