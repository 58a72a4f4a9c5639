/// Members that need every message of a topic.
extension Group {
    /// Enters a member among those that need every message of a topic. Returns its beginning: the number up to which it
    /// gets nothing, and the number of messages queued for the topic by then. Wraps.
    @inline(never)
    func want(
        _ topic: Topic, from start: QueueStart, slot: Int, timeout: UInt64
    ) throws(CrosstieError) -> (consumed: UInt64, logged: UInt64) {
        let position = try position(of: start)
        var begin: (UInt64, UInt64) = (0, 0)
        try transact(timeout: timeout, room: InterestRecord.size) { transaction, next throws(CrosstieError) in
            try interests.refresh(transaction, wakeups)
            try countLogged(upTo: next &- 1, in: transaction)
            if position == 0 { try trimRetained(transaction, newest: next &- 1) }
            wakeups.setBit(slot, in: WakeupsLayout.queueMaskOffset, true)
            wakeups.countInterestChange()
            // A consumer that never drops messages may keep some of the dropped ones.
            let consumed = max(min(position, next &- 1), try transaction.meta().dropped)
            let kept = try transaction.countLogged(topic, after: consumed).index
            try transaction.editInterest(topic) { interest in
                interest.slots.insert(slot)
                begin = (consumed, interest.logged.index &- kept)
            }
            let oldest = wakeups.queuesConsumed(slot)
            if consumed < oldest.pointee.load(ordering: .relaxed) { oldest.pointee.store(consumed, ordering: .relaxed) }
        }
        return begin
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
