/// Who needs what of the log, at the time of a transaction.
struct TrimView {
    private let group: Group
    /// The durable names.
    private var cursors: [Cursor] = []

    private struct Cursor {
        let key: [UInt8]
        let topic: Topic
        var state: CursorState
        var hasChanged = false
    }

    /// The interests have been read. A cursor that cannot be needs nothing.
    init(_ group: Group, _ transaction: borrowing StoreTransaction) throws(CrosstieError) {
        self.group = group
        var found: [Cursor] = []
        try transaction.scan(StoreKey.cursor) { key, record throws(CrosstieError) in
            if let topic = CursorKey.topic(key), let state = try? CursorState(record, boot: group.boot) {
                found.append(Cursor(key: Array(key), topic: topic, state: state))
            }
            return .next
        }
        cursors = found
    }

    func needs(_ record: LogRecord) throws(CrosstieError) -> Bool {
        for cursor in cursors where cursor.state.needs(record.stamp.sequence) && cursor.topic.covers(record) {
            return true
        }
        var isNeeded = false
        try group.interests.forEach(in: Identifier(record.identifier)) { interest throws(CrosstieError) in
            if isNeeded { return }
            interest.slots.forEach { slot in
                let heard = group.bells.queuesHeard(slot).pointee.load(ordering: .acquiring)
                if heard < record.stamp.sequence { isNeeded = true }
            }
        }
        return isNeeded
    }

    /// Counts a record that is dropped although somebody needs it.
    mutating func drop(_ record: LogRecord) {
        for index in cursors.indices where cursors[index].topic.covers(record) {
            cursors[index].state.drop(record.stamp.sequence)
            cursors[index].hasChanged = true
        }
    }

    /// Stores what was counted.
    func finish(_ transaction: borrowing StoreTransaction) throws(CrosstieError) {
        for cursor in cursors where cursor.hasChanged {
            try transaction.put(cursor.state, cursor.key, boot: group.boot)
        }
    }
}
