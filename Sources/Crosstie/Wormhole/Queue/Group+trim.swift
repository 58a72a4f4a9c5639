/// Keeping the log short: what everybody has heard goes, and the oldest when it becomes too long.
extension Group {
    /// Trims the log when some more messages have been appended, by whomever: not for each one, since looking at the
    /// front of the log costs as much as appending to its end.
    func trimIfDue(
        _ transaction: borrowing StoreTransaction, from before: LogTail, to tail: LogTail, newest: UInt64
    ) throws(CrosstieError) {
        let step = max(limits.queuedSize / 8, 1)
        guard tail.index / 32 != before.index / 32 || tail.total / step != before.total / step else { return }
        try trim(transaction, newest: newest, tail: tail, count: Int(clamping: tail.index &- before.index) + 32)
    }

    /// Trims all that can be: the store is full. With a transaction of its own, but none if there is nothing: it would
    /// take of the room that is kept for destroying. The writers' lock is held.
    @inline(never)
    func trimForRoom(timeout: UInt64) throws(CrosstieError) {
        do throws(CrosstieError) {
            let transaction = try store.writing()
            let first = try firstSequence(of: transaction)
            try interests.refresh(transaction, bells)
            let tail = try transaction.logTail()
            guard try trim(transaction, newest: first &- 1, tail: tail, count: 1 << 16) > 0 else {
                return interests.forget()
            }
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
        try trim(transaction, newest: newest, tail: nil, count: heardCount)
        heardCount = 0
    }

    /// Removes blocks, or a part of one, from the front of the log, of at least as many messages as have been appended
    /// or heard. Gives how many messages those were.
    @discardableResult
    private func trim(
        _ transaction: borrowing StoreTransaction, newest: UInt64, tail: LogTail?, count: Int
    ) throws(CrosstieError) -> Int {
        if interests.table.hasListeners { try countLogged(upTo: newest, in: transaction) }
        var view = try TrimView(self, transaction)
        let limit = 2 * count + 32
        var removed = 0
        var dropped: UInt64 = 0
        var shortened: (sequence: UInt64, bytes: [UInt8])?
        try transaction.scanBlocks(after: 0) { sequence, block throws(CrosstieError) in
            guard removed < limit else { return .stop }
            if let block, try view.needs(block) {
                let excess = excess(of: block, before: tail)
                guard excess > 0 else { return .stop }
                dropped = block.sequence(ofMessage: excess - 1)
                try view.drop(block, upTo: dropped)
                if let bytes = block.keeping(where: { $0.stamp.sequence > dropped }).bytes {
                    shortened = (sequence, bytes)
                    removed += excess
                    return .stop
                }
            }
            removed += block?.count ?? 1
            return .remove
        }
        if let shortened { try transaction.replaceBlock(shortened.sequence, shortened.bytes) }
        try view.finish(transaction)
        if dropped > 0 {
            try transaction.edit { meta throws(CrosstieError) in meta.dropped = max(meta.dropped, dropped) }
        }
        return removed
    }

    /// How many messages of a block have to go, from its first one on, so that the log keeps to its limits.
    private func excess(of block: LogBlock, before tail: LogTail?) -> Int {
        guard let tail else { return 0 }
        // Where counts are damaged they do not say that there is too much.
        let (following, size) = (tail.index &- block.tail.index, tail.total &- block.tail.total)
        guard following < 1 << 62, size < 1 << 62 else { return 0 }
        if size >= limits.queuedSize { return block.count }
        let count = following + UInt64(block.count)
        return count > limits.queuedCount ? Int(clamping: min(count - limits.queuedCount, UInt64(block.count))) : 0
    }
}
