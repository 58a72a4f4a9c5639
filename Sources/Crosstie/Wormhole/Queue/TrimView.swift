/// Who needs what of the log, at the time of a transaction.
struct TrimView {
    private let interests: InterestTable
    private let bells: Bells
    private let boot: UInt64
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
        interests = group.interests.table
        bells = group.bells
        boot = group.boot
        var found: [Cursor] = []
        try transaction.scan(StoreKey.cursor) { key, record throws(CrosstieError) in
            if let topic = CursorKey.topic(key), let state = try? CursorState(record, boot: group.boot) {
                found.append(Cursor(key: Array(key), topic: topic, state: state))
            }
            return .next
        }
        cursors = found
    }

    func needs(_ record: LogRecord) -> Bool {
        for cursor in cursors where cursor.state.needs(record.stamp.sequence) && cursor.topic.covers(record) {
            return true
        }
        var isNeeded = false
        interests.forEach(in: Identifier(record.identifier)) { position in
            interests.interests[position].slots.forEach { slot in
                let heard = bells.queuesHeard(slot).pointee.load(ordering: .acquiring)
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
            try transaction.put(cursor.state, cursor.key, boot: boot)
        }
    }
}
