/// Who needs what of the log, at the time of a transaction.
struct TrimView {
    private let interests: InterestTable
    private let bells: Bells
    private let boot: UInt64
    /// The durable names.
    private var cursors: [Cursor] = []
    /// Messages below this number are of no use to anybody.
    private var floor = UInt64.max

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
        for cursor in cursors { floor = min(floor, cursor.state.floor) }
        for interest in interests.interests {
            interest.slots.forEach { slot in
                let heard = heardAll(slot)
                if heard < floor { floor = heard + 1 }
            }
        }
    }

    /// The number up to which an opening's queue listeners have heard everything.
    private func heardAll(_ slot: Int) -> UInt64 { bells.queuesHeard(slot).pointee.load(ordering: .acquiring) }

    func needs(_ block: LogBlock) throws(CrosstieError) -> Bool {
        guard block.sequence >= floor else { return false }
        return try block.forEach { _, record in record.map(needs) == true ? .stop : .next } == .stop
    }

    private func needs(_ record: LogRecord) -> Bool {
        for cursor in cursors where cursor.state.needs(record.stamp.sequence) && cursor.topic.covers(record) {
            return true
        }
        var isNeeded = false
        interests.forEach(in: Identifier(record.identifier)) { position in
            interests.interests[position].slots.forEach { slot in
                if heardAll(slot) < record.stamp.sequence { isNeeded = true }
            }
        }
        return isNeeded
    }

    /// Counts the messages of a block up to a number, which are dropped although somebody needs one.
    mutating func drop(_ block: LogBlock, upTo number: UInt64) throws(CrosstieError) {
        _ = try block.forEach { sequence, record in
            guard let record, sequence <= number else { return .stop }
            drop(record)
            return .next
        }
    }

    private mutating func drop(_ record: LogRecord) {
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
