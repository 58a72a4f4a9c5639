/// Keeping the log short: messages that every consumer has taken are removed, and the oldest ones when the limits are
/// exceeded.
extension Group {
    /// Trims the log after some more messages have been appended, by any process. Not for each message, because looking
    /// at the front of the log costs as much as appending to its end.
    func trimIfDue(
        _ transaction: borrowing StoreTransaction, from before: LogTail, to tail: LogTail, newest: UInt64
    ) throws(CrosstieError) {
        let (lot, step) = (trimmingLot, max(limits.queuedSize / 8, 1))
        guard tail.index / lot != before.index / lot || tail.total / step != before.total / step else {
            return try countIfDue(transaction, from: before, to: tail, newest: newest)
        }
        let budget = LogTrimmer.Budget(appended: Int(clamping: (tail.index &- before.index) &+ lot))
        var trimmer = try trimmer(transaction, newest: newest, tail: tail)
        try trimmer.trimFront(transaction, budget)
        // A store that is full has no pages for it.
        if !isShortOfRoom { try trimmer.keepLimits(transaction, budget, newest: newest) }
        try trimmer.finish(transaction)
    }

    /// The log is trimmed after so many messages: the more consumers have to be checked, the more.
    private var trimmingLot: UInt64 {
        let names = UInt64(clamping: min(interests.table.durableCount, CursorKey.maximumCount))
        return max(Group.countingLot, min(names, limits.queuedCount / 8))
    }

    /// After so many messages it is counted how many there were.
    private static var countingLot: UInt64 { 32 }

    /// Counts the queued messages when that is due: messages that are not counted have to be searched for in the log.
    private func countIfDue(
        _ transaction: borrowing StoreTransaction, from before: LogTail, to tail: LogTail, newest: UInt64
    ) throws(CrosstieError) {
        guard tail.index / Group.countingLot != before.index / Group.countingLot else { return }
        if !interests.table.isEmpty { try countLogged(upTo: newest, in: transaction) }
    }

    /// Trims all that can be: the store is full. With a transaction of its own, but none if there is nothing: it would
    /// take of the room that is kept for destroying. The writers' lock is held. False if there was nothing.
    @inline(never)
    func trimForRoom(timeout: UInt64) throws(CrosstieError) -> Bool {
        do throws(CrosstieError) {
            let transaction = try store.writing()
            let first = try firstSequence(of: transaction)
            try interests.refresh(transaction, wakeups)
            var budget = LogTrimmer.Budget(appended: 1 << 15)
            budget.pages = 8
            // Nor is there any for unneeded messages.
            let tail = try transaction.logTail()
            if limits.retains { budget.removals = max(64, Int(clamping: try transaction.logSize(tail) / 4)) }
            var trimmer = try trimmer(transaction, newest: first &- 1, tail: tail, isRetaining: false)
            try trimmer.trimFront(transaction, budget)
            if trimmer.removedCount == 0 { try trimmer.sweepFromFront(transaction, budget) }
            guard trimmer.removedCount > 0 else {
                interests.forget()
                return false
            }
            try trimmer.finish(transaction)
            try end(transaction, first, timeout)
            return true
        } catch {
            interests.forget()
            throw error
        }
    }

    /// A step that changes nothing. The writers' lock is held.
    func makeEmptyStep(timeout: UInt64) throws(CrosstieError) {
        let transaction = try store.writing()
        let first = try firstSequence(of: transaction)
        try end(transaction, first, timeout)
    }

    /// Commits a step without a message, which notifies no listener.
    func end(
        _ transaction: consuming StoreTransaction, _ first: UInt64, _ timeout: UInt64
    ) throws(CrosstieError) {
        let step = try commit(transaction, 0, first, timeout)
        wakeups.note(transaction: step.number, lastSequence: first &- 1)
        leaveWakeLock(step.wakeLock)
    }

    /// Trims the log after some more messages have been consumed, however long the log is.
    func trimIfDue(
        _ transaction: borrowing StoreTransaction, consumed: Int, newest: UInt64
    ) throws(CrosstieError) {
        consumedCount += consumed
        guard consumedCount >= trimmingLot else { return }
        try interests.refresh(transaction, wakeups)
        try trimFront(transaction, LogTrimmer.Budget(appended: consumedCount + 16), newest: newest)
        consumedCount = 0
    }

    /// Removes messages that are too old, before a consumer begins with the oldest that is kept.
    func trimRetained(_ transaction: borrowing StoreTransaction, newest: UInt64) throws(CrosstieError) {
        guard limits.retains else { return }
        try trimFront(transaction, LogTrimmer.Budget(appended: 1 << 15), newest: newest)
    }

    private func trimFront(
        _ transaction: borrowing StoreTransaction, _ budget: LogTrimmer.Budget, newest: UInt64
    ) throws(CrosstieError) {
        let tail = limits.retains ? try transaction.logTail() : LogTail()
        var trimmer = try trimmer(transaction, newest: newest, tail: tail)
        try trimmer.trimFront(transaction, budget)
        try trimmer.finish(transaction)
    }

    /// A trimmer of the log, after counting everything that it may remove.
    private func trimmer(
        _ transaction: borrowing StoreTransaction, newest: UInt64, tail: LogTail, isRetaining: Bool = true
    ) throws(CrosstieError) -> LogTrimmer {
        if !interests.table.isEmpty { try countLogged(upTo: newest, in: transaction) }
        let retention = isRetaining ? Retention(limits, tail: tail) : nil
        let view = try TrimView(self, transaction, retention)
        return LogTrimmer(limits, view, try transaction.meta(), tail: tail)
    }
}

extension StoreTransaction {
    /// The number of messages in the log, by its counts.
    fileprivate func logSize(_ tail: LogTail) throws(CrosstieError) -> UInt64 {
        tail.index &- (try meta().removed.index)
    }
}
