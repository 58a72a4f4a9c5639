/// Members that need every message of a topic.
extension Group {
    /// Enters a member among those that need every message of a topic. Returns its beginning: the number up to which it
    /// gets nothing, and the number of messages queued for the topic by then. Wraps.
    @inline(never)
    func want(
        _ topic: Topic, from start: QueueStart, slot: Int, timeout: UInt64
    ) throws(CrosstieError) -> (consumed: UInt64, logged: UInt64) {
        let position = try position(of: start)
        var (attempts, begin) = (0, nil as (UInt64, UInt64)?)
        while true {
            let kept = try keptCount(of: topic, after: position, &attempts)
            try transact(timeout: timeout, room: InterestRecord.size) { transaction, next throws(CrosstieError) in
                begin = try want(topic, kept, slot: slot, next: next, in: transaction)
            }
            if let begin { return begin }
        }
    }

    /// Nil if the count of kept messages was of no use.
    private func want(
        _ topic: Topic, _ kept: KeptCount, slot: Int, next: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> (consumed: UInt64, logged: UInt64)? {
        try interests.refresh(transaction, wakeups)
        try countLogged(upTo: next &- 1, in: transaction)
        if kept.position <= (try transaction.meta().dropped) { try trimRetained(transaction, newest: next &- 1) }
        // A consumer that never drops messages may keep some of the dropped ones.
        let consumed = try transaction.begin(of: nil, at: min(kept.position, next &- 1))
        guard let left = try kept.total(after: consumed, in: transaction) else { return nil }
        wakeups.setBit(slot, in: WakeupsLayout.queueMaskOffset, true)
        wakeups.countInterestChange()
        var logged: UInt64 = 0
        try transaction.editInterest(topic) { interest in
            interest.slots.insert(slot)
            logged = interest.logged.index &- left.index
        }
        let oldest = wakeups.queuesConsumed(slot)
        if consumed < oldest.pointee.load(ordering: .relaxed) { oldest.pointee.store(consumed, ordering: .relaxed) }
        return (consumed, logged)
    }

    /// Removes a member again.
    @inline(never)
    func wantNoMore(_ topic: Topic, slot: Int, timeout: UInt64) throws(CrosstieError) {
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            wakeups.countInterestChange()
            try transaction.editInterest(topic) { $0.slots.remove(slot) }
        }
    }
}
