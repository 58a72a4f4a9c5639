/// Messages that wait for their time. Each operation costs as much with a million of them as with one.
extension StoreTransaction {
    func schedule(_ change: Change, _ key: ScheduleKey, from sender: Sender) throws(CrosstieError) {
        try ScheduleKey.bigEndian(key.number).withBytes { number throws(CrosstieError) in
            let size = ScheduledMessage.size(change, name: sender.name.count)
            let room = try reserve(StoreKey.scheduled, number, size: size)
            ScheduledMessage.write(change, due: key.due, sender, into: room)
        }
        try key.bytes.withBytes { key throws(CrosstieError) in
            // A record of no bytes would be none on a host's transport.
            try reserve(StoreKey.schedule, key, size: 1).copyBytes(from: [ScheduledMessage.format])
        }
    }

    /// Removes a scheduled message. False if it is not there.
    func removeScheduled(_ key: ScheduleKey) throws(CrosstieError) -> Bool {
        let isThere = try key.bytes.withBytes { bytes throws(CrosstieError) in
            guard try get(StoreKey.schedule, bytes) != nil else { return false }
            try remove(StoreKey.schedule, bytes)
            return true
        }
        guard isThere else { return false }
        try ScheduleKey.bigEndian(key.number).withBytes { number throws(CrosstieError) in
            try remove(StoreKey.scheduled, number)
        }
        return true
    }

    /// When the message of a number is due; nil if none of that number waits.
    func dueTime(ofScheduled number: UInt64) throws(CrosstieError) -> UInt64? {
        try ScheduleKey.bigEndian(number).withBytes { bytes throws(CrosstieError) in
            guard let record = try get(StoreKey.scheduled, bytes), record.count >= ScheduledMessage.headerSize else {
                return nil
            }
            return record[ScheduledMessage.Layout.due]
        }
    }

    /// Calls `body` with the keys of scheduled messages from some bytes on, in the order of times. Malformed keys are
    /// skipped.
    func scanSchedule(
        from start: [UInt8], _ body: (ScheduleKey) throws(CrosstieError) -> LogStep
    ) throws(CrosstieError) {
        try scan(StoreKey.schedule, from: start) { bytes, _ throws(CrosstieError) in
            guard let key = ScheduleKey(bytes) else { return .next }
            return try body(key) == .stop ? .stop : .next
        }
    }

    /// The message of a key; nil when it cannot be read.
    func scheduled(_ key: ScheduleKey) throws(CrosstieError) -> ScheduledMessage? {
        try ScheduleKey.bigEndian(key.number).withBytes { number throws(CrosstieError) in
            try get(StoreKey.scheduled, number).flatMap { ScheduledMessage($0, under: key) }
        }
    }
}
