/// Keeping the log short: what everybody has heard goes, and the oldest when more is needed than is kept.
extension Group {
    /// Trims the log when some more messages have been appended, by whomever: not for each one, since looking at the
    /// front of the log costs as much as appending to its end.
    func trimIfDue(
        _ transaction: borrowing StoreTransaction, from before: LogTail, to tail: LogTail, newest: UInt64
    ) throws(CrosstieError) {
        let step = max(limits.queuedSize / 8, 1)
        guard tail.index / 32 != before.index / 32 || tail.total / step != before.total / step else { return }
        let budget = LogTrimmer.Budget(appended: Int(clamping: tail.index &- before.index) + 32)
        var trimmer = try trimmer(transaction, newest: newest, tail: tail)
        try trimmer.trimFront(transaction, budget)
        // A store that is full has no pages for it.
        if !isShortOfRoom { try trimmer.keepLimits(transaction, budget, newest: newest) }
        try trimmer.finish(transaction)
    }

    /// Trims all that can be: the store is full. With a transaction of its own, but none if there is nothing: it would
    /// take of the room that is kept for destroying. The writers' lock is held.
    @inline(never)
    func trimForRoom(timeout: UInt64) throws(CrosstieError) {
        do throws(CrosstieError) {
            let transaction = try store.writing()
            let first = try firstSequence(of: transaction)
            try interests.refresh(transaction, bells)
            var budget = LogTrimmer.Budget(appended: 1 << 15)
            budget.pages = 8
            var trimmer = try trimmer(transaction, newest: first &- 1, tail: try transaction.logTail())
            try trimmer.trimFront(transaction, budget)
            if trimmer.removedCount == 0 { try trimmer.sweepFromFront(transaction, budget) }
            guard trimmer.removedCount > 0 else { return interests.forget() }
            try trimmer.finish(transaction)
            let step = try commit(transaction, 0, first, timeout)
            bells.note(transaction: step.number, lastSequence: first &- 1)
            leaveIntent(step.intent)
        } catch {
            interests.forget()
            throw error
        }
    }

    /// The same when some more have been heard: what is needed stays, however long the log is.
    func trimIfDue(
        _ transaction: borrowing StoreTransaction, heard: Int, newest: UInt64
    ) throws(CrosstieError) {
        heardCount += heard
        guard heardCount >= 32 else { return }
        try interests.refresh(transaction, bells)
        var trimmer = try trimmer(transaction, newest: newest, tail: LogTail())
        try trimmer.trimFront(transaction, LogTrimmer.Budget(appended: heardCount + 16))
        try trimmer.finish(transaction)
        heardCount = 0
    }

    /// What trims the log, with everything counted that it may remove.
    private func trimmer(
        _ transaction: borrowing StoreTransaction, newest: UInt64, tail: LogTail
    ) throws(CrosstieError) -> LogTrimmer {
        if !interests.table.isEmpty { try countLogged(upTo: newest, in: transaction) }
        return LogTrimmer(limits, try TrimView(self, transaction), try transaction.meta(), tail: tail)
    }
}
