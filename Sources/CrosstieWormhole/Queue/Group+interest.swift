/// Openings that want every message of a topic.
extension Group {
    /// Enters a member among those that need every message of a topic. Returns its beginning: the number up to which it
    /// gets nothing, and the number of messages queued for the topic by then. Wraps.
    @inline(never)
    func want(
        _ topic: Topic, from start: QueueStart, slot: Int, timeout: UInt64
    ) throws(CrosstieError) -> (heard: UInt64, logged: UInt64) {
        let place = try place(of: start)
        var begin: (UInt64, UInt64) = (0, 0)
        try transact(timeout: timeout, room: InterestRecord.size) { transaction, next throws(CrosstieError) in
            try interests.refresh(transaction, bells)
            try countLogged(upTo: next &- 1, in: transaction)
            if place == 0 { try trimRetained(transaction, newest: next &- 1) }
            bells.setBit(slot, in: BellsLayout.queueMaskOffset, true)
            bells.countInterestChange()
            // Of what was dropped somebody may keep some for itself.
            let heard = max(min(place, next &- 1), try transaction.meta().dropped)
            let kept = try transaction.countLogged(topic, after: heard).index
            try transaction.editInterest(topic) { interest in
                interest.slots.insert(slot)
                begin = (heard, interest.logged.index &- kept)
            }
            let oldest = bells.queuesHeard(slot)
            if heard < oldest.pointee.load(ordering: .relaxed) { oldest.pointee.store(heard, ordering: .relaxed) }
        }
        return begin
    }

    /// Removes a member again.
    @inline(never)
    func wantNoMore(_ topic: Topic, slot: Int, timeout: UInt64) throws(CrosstieError) {
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            bells.countInterestChange()
            try transaction.editInterest(topic) { $0.slots.remove(slot) }
        }
    }
}
