/// Openings that want every message of a topic.
extension Group {
    /// Enters an opening among those who want every message of a topic. Gives where it begins: the number up to which it
    /// hears nothing, the group's newest one unless it begins with the oldest that is kept, and how many messages had been
    /// queued for the topic by then. Wraps.
    @inline(never)
    func want(
        _ topic: Topic, fromOldest: Bool, slot: Int, timeout: UInt64
    ) throws(CrosstieError) -> (heard: UInt64, logged: UInt64) {
        var begin: (UInt64, UInt64) = (0, 0)
        try transact(timeout: timeout, room: InterestRecord.size) { transaction, next throws(CrosstieError) in
            try interests.refresh(transaction, bells)
            try countLogged(upTo: next &- 1, in: transaction)
            if fromOldest { try trimRetained(transaction, newest: next &- 1) }
            bells.setBit(slot, in: BellsLayout.queueMaskOffset, true)
            bells.countInterestChange()
            let kept = fromOldest ? try transaction.countLogged(topic, after: 0).index : 0
            try transaction.editInterest(topic) { interest in
                interest.slots.insert(slot)
                begin = (fromOldest ? 0 : next &- 1, interest.logged.index &- kept)
            }
            let heard = bells.queuesHeard(slot)
            if begin.0 < heard.pointee.load(ordering: .relaxed) { heard.pointee.store(begin.0, ordering: .relaxed) }
        }
        return begin
    }

    /// Takes an opening out again.
    @inline(never)
    func wantNoMore(_ topic: Topic, slot: Int, timeout: UInt64) throws(CrosstieError) {
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            bells.countInterestChange()
            try transaction.editInterest(topic) { $0.slots.remove(slot) }
        }
    }
}
