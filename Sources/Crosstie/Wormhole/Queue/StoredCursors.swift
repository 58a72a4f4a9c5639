/// The cursors of all durable names, as a transaction finds them, to be counted in and stored again.
struct StoredCursors {
    struct Cursor {
        let key: [UInt8]
        let topic: Topic
        fileprivate(set) var state: CursorState
        fileprivate var hasChanged = false

        /// Notes that the oldest message of all is dropped, which the topic covers.
        mutating func drop(_ sequence: UInt64) {
            state.drop(sequence)
            hasChanged = true
        }

        /// Notes that messages which nobody was given are gone from among others.
        mutating func miss(_ count: Int) {
            guard count > 0 else { return }
            state.miss(UInt64(count))
            hasChanged = true
        }
    }

    private(set) var cursors: [Cursor] = []
    /// What waits for the next try of those for which something does, and the dead letters of those that have some.
    private var waiting: [(index: Int, reader: WaitingReader)] = []

    /// One that cannot be read needs nothing.
    init(_ transaction: borrowing StoreTransaction, boot: UInt64) throws(CrosstieError) {
        var found: [Cursor] = []
        try transaction.scan(StoreKey.cursor) { key, record in
            if let topic = CursorKey.topic(key), let state = try? CursorState(record, boot: boot) {
                found.append(Cursor(key: Array(key), topic: topic, state: state))
            }
            return .next
        }
        cursors = found
        for index in cursors.indices {
            let state = cursors[index].state
            if state.waitingCount > 0 { waiting.append((index, WaitingReader(of: state))) }
            if state.tally.deadCount > 0 { waiting.append((index, WaitingReader(of: state, type: StoreKey.burial))) }
        }
    }

    var isEmpty: Bool { cursors.isEmpty }

    /// What is not above this number every name has looked at.
    var leastNext: UInt64 { cursors.map(\.state.next).min() ?? .max }

    /// The first message that waits for somebody's next try or is a dead letter; the largest number if there is none.
    mutating func firstWaiting(in transaction: borrowing StoreTransaction) throws(CrosstieError) -> UInt64 {
        var first = UInt64.max
        for place in waiting.indices { first = min(first, try waiting[place].reader.first(in: transaction) ?? .max) }
        return first
    }

    /// Whether a message waits for somebody's next try, or is a dead letter.
    mutating func isWaiting(
        _ sequence: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        for place in waiting.indices where try waiting[place].reader.contains(sequence, in: transaction) { return true }
        return false
    }

    /// Notes that messages are gone: they wait no more, and are nobody's dead letters.
    mutating func loseWaiting(
        _ sequences: [UInt64], in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        for place in waiting.indices {
            let index = waiting[place].index
            for sequence in sequences where try waiting[place].reader.contains(sequence, in: transaction) {
                if waiting[place].reader.type == StoreKey.burial {
                    try transaction.removeBurial(sequence, of: cursors[index].state.identity)
                    cursors[index].state.loseDead()
                } else {
                    try transaction.removeWaiting(sequence, of: cursors[index].state.identity)
                    cursors[index].state.loseWaiting()
                }
                cursors[index].hasChanged = true
            }
        }
    }

    mutating func forEach(_ body: (inout Cursor) -> Void) {
        for index in cursors.indices { body(&cursors[index]) }
    }

    /// Notes that a message goes from among others, for the cursor at an index.
    mutating func miss(_ record: LogRecord, at index: Int) {
        guard record.stamp.sequence > cursors[index].state.next, cursors[index].topic.covers(record) else { return }
        cursors[index].miss(1)
    }

    /// Stores those that have changed.
    func store(_ transaction: borrowing StoreTransaction, boot: UInt64) throws(CrosstieError) {
        for cursor in cursors where cursor.hasChanged { try transaction.put(cursor.state, cursor.key, boot: boot) }
    }
}
