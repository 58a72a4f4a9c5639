/// Dropping what exceeds the limits, although consumers need it.
extension LogTrimmer {
    /// Removes blocks, or a part of one, from the front of the log, even if consumers need them, until the log keeps
    /// its limits. False if one transaction may not remove enough.
    mutating func dropOldest(
        _ transaction: borrowing StoreTransaction, _ budget: Budget
    ) throws(CrosstieError) -> Bool {
        guard isTooMuch else { return true }
        let end = removedCount + budget.removals
        var visits = budget.visits
        var isEnough = true
        var shortened: [(sequence: UInt64, bytes: [UInt8])] = []
        // The log before that is kept for consumers that never drop messages.
        let start = view.hasProtected ? meta.dropped : 0
        try transaction.scanBlocks(after: start) { sequence, block throws(CrosstieError) in
            guard isTooMuch else { return .stop }
            guard removedCount < end, visits > 0 else {
                isEnough = false
                return .stop
            }
            guard let block else { return .remove }
            guard try view.needs(block, transaction) else {
                noteRemoved(block.count, size: block.size)
                return .remove
            }
            let excess = excess(of: block)
            guard excess > 0 else { return .stop }
            visits -= block.count
            let (last, kept) = try view.drop(block, count: excess, transaction)
            meta.dropped = max(meta.dropped, last)
            let (bytes, removed) = try block.keeping { $0.stamp.sequence > last || kept.contains($0.stamp.sequence) }
            guard removed > 0 else { return .next }
            noteRemoved(removed, size: block.size - (bytes?.count ?? 0))
            guard let bytes else { return .remove }
            shortened.append((sequence, bytes))
            return kept.isEmpty ? .stop : .next
        }
        for (sequence, bytes) in shortened { try transaction.replaceBlock(sequence, bytes) }
        return isEnough
    }

    /// The number of messages at the front of a block that have to be removed.
    func excess(of block: LogBlock) -> Int {
        let most = most
        if view.hasProtected {
            // The remaining messages may be anywhere, so only the total is known.
            if live.total > most.total { return block.count }
            return live.index > most.index ? Int(clamping: min(live.index - most.index, UInt64(block.count))) : 0
        }
        // Of the counts of meta and of the blocks, one may be damaged.
        let (following, size) = (tail.index &- block.tail.index, tail.total &- block.tail.total)
        guard following < 1 << 62, size < 1 << 62 else { return 0 }
        let liveFollowing = live.total - min(live.total, UInt64(block.size))
        if min(size, liveFollowing) >= most.total { return block.count }
        let count = min(live.index, following + UInt64(block.count))
        return count > most.index ? Int(clamping: min(count - most.index, UInt64(block.count))) : 0
    }
}
