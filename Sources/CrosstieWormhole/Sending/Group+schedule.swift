/// Messages that wait for their time: put into the store, and cancelled.
extension Group {
    /// Has a message wait until a time. Gives its number: one that no message has.
    func schedule(
        _ change: Change, until due: UInt64, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> UInt64 {
        let room = 2 &* (ScheduledMessage.size(change, name: sender.name.count) &+ ScheduledMessage.footprint)
        var isEarliest = false
        return try transactSeldom(
            count: 1, timeout: timeout, room: room, identifier: { _ in change.identifier },
            listeners: { isEarliest ? wakeups.timekeepers : MemberMask() }
        ) { transaction, number throws(CrosstieError) in
            // If the commit fails, a process looks in vain.
            isEarliest = wakeups.noteDue(due)
            try transaction.schedule(change, ScheduleKey(due: due, number: number), from: sender)
        }.sequence
    }

    /// Removes a scheduled message. False if there is none of that number.
    func cancelScheduled(_ number: UInt64, timeout: UInt64) throws(CrosstieError) -> Bool {
        // Without a change to the store when there is none.
        let isKnown = try read { snapshot throws(CrosstieError) in try snapshot.dueTime(ofScheduled: number) != nil }
        guard isKnown else { return false }
        var isRemoved = false
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            isRemoved = false
            guard let due = try transaction.dueTime(ofScheduled: number) else { return }
            isRemoved = try transaction.removeScheduled(ScheduleKey(due: due, number: number))
        }
        return isRemoved
    }

    /// The scheduled messages under a topic, in the order of times. Some at a time: a reading that lasts keeps pages of
    /// the store from being used again.
    func scheduled(_ topic: Topic) throws(CrosstieError) -> [Wormhole.Scheduled] {
        var found: [Wormhole.Scheduled] = []
        var start: [UInt8]? = []
        while let from = start {
            let some = try read { snapshot throws(CrosstieError) in try snapshot.scheduled(topic, from: from) }
            found += some.found
            start = some.next
            guard found.count <= ValueRef.maxCount else {
                throw CrosstieError(.limitExceeded, "over \(ValueRef.maxCount) messages are scheduled")
            }
        }
        return found
    }
}

extension StoreTransaction {
    /// Some scheduled messages, and the key to continue with.
    fileprivate func scheduled(
        _ topic: Topic, from start: [UInt8]
    ) throws(CrosstieError) -> (found: [Wormhole.Scheduled], next: [UInt8]?) {
        var found: [Wormhole.Scheduled] = []
        var next: [UInt8]?
        var left = 512
        try scanSchedule(from: start) { key throws(CrosstieError) in
            guard left > 0 else {
                next = key.bytes
                return .stop
            }
            left -= 1
            if let message = try scheduled(key), topic.covers(message.identifier) {
                found.append(Wormhole.Scheduled(message))
            }
            return .next
        }
        return (found, next)
    }
}
