/// Openings that want every message of a topic.
extension Group {
    /// Enters an opening among those who want every message of a topic. Gives where it begins: the group's newest
    /// number, and how many messages have been queued for the topic.
    func want(_ topic: Topic, slot: Int, timeout: UInt64) throws(CrosstieError) -> (heard: UInt64, logged: UInt64) {
        var begin: (UInt64, UInt64) = (0, 0)
        try transact(timeout: timeout, room: InterestRecord.size) { transaction, next throws(CrosstieError) in
            try interests.refresh(transaction, bells)
            try countLogged(upTo: next &- 1, in: transaction)
            bells.setBit(slot, in: BellsLayout.queueMaskOffset, true)
            bells.countInterestChange()
            try transaction.editInterest(topic) { interest in
                interest.slots.insert(slot)
                begin = (next &- 1, interest.logged)
            }
            let heard = bells.queuesHeard(slot)
            if heard.pointee.load(ordering: .relaxed) == .max { heard.pointee.store(next &- 1, ordering: .relaxed) }
        }
        return begin
    }

    /// Takes an opening out again.
    func wantNoMore(_ topic: Topic, slot: Int, timeout: UInt64) throws(CrosstieError) {
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            bells.countInterestChange()
            try transaction.editInterest(topic) { $0.slots.remove(slot) }
        }
    }
}
