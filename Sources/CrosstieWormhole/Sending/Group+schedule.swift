/// Messages that wait for their time: put into the store, and cancelled.
extension Group {
    /// Has messages wait until a time, all or none. Gives the number of the first one; no other messages have these
    /// numbers.
    func schedule(
        _ changes: [Change], until due: UInt64, _ note: TokenNote? = nil, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> UInt64 {
        guard let note else {
            return try scheduleStep(changes, until: due, nil, from: sender, timeout: timeout).sequence
        }
        return try note.once { () throws(CrosstieError) in
            try scheduleStep(changes, until: due, note, from: sender, timeout: timeout)
        }.sequence
    }

    private func scheduleStep(
        _ changes: [Change], until due: UInt64, _ note: TokenNote?, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        let room = changes.reduce(0) {
            $0 &+ 2 &* (ScheduledMessage.size($1, name: sender.name.count) &+ ScheduledMessage.footprint)
        }
        var isEarliest = false
        return try transactSeldom(
            count: changes.count, timeout: timeout, room: room, identifier: { changes[$0].identifier },
            listeners: {
                note?.isDone()
                return isEarliest ? wakeups.timekeepers : MemberMask()
            }
        ) { transaction, first throws(CrosstieError) in
            try note?.begin(transaction, first)
            // If the commit fails, a process looks in vain.
            isEarliest = wakeups.noteDue(due)
            for index in changes.indices {
                let key = ScheduleKey(due: due, number: first &+ UInt64(index))
                try transaction.schedule(changes[index], key, from: sender)
            }
        }
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
