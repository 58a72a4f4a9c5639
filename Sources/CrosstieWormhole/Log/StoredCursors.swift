/// The cursors of all durable consumers, as a transaction finds them, to be counted in and stored again.
struct StoredCursors {
    struct Cursor {
        let name: CursorKey
        var topic: Topic { name.topic }
        fileprivate(set) var state: CursorState
        /// Whether nothing that it needs is dropped, however much there is.
        fileprivate(set) var isProtected = false
        fileprivate var hasChanged = false
        /// Its options, once they have been read.
        fileprivate var options: DurableOptions?

        /// Notes that the oldest message of all is dropped, which the topic covers.
        fileprivate mutating func drop(_ record: LogRecord) {
            state.drop(record.stamp.sequence, size: record.payload.count)
            hasChanged = true
        }

        /// Notes the removal of a message that the consumer would not have got.
        fileprivate mutating func skip(_ record: LogRecord, isOldest: Bool) {
            if isOldest {
                state.skip(record.stamp.sequence, size: record.payload.count)
            } else {
                state.tally.take(1, size: record.payload.count)
            }
            hasChanged = true
        }

        /// Notes the removal of a message from the middle of the log that no listener had.
        fileprivate mutating func miss(_ record: LogRecord) {
            state.miss(1, size: record.payload.count)
            hasChanged = true
        }
    }

    private(set) var cursors: [Cursor] = []
    /// The waiting messages and the dead letters of the consumers that have any.
    private var waiting: [(index: Int, reader: WaitingReader)] = []

    /// One that cannot be read needs nothing.
    /// - Parameter known: the names, as they were found the last time.
    init(
        _ transaction: borrowing StoreTransaction, _ known: KnownConsumers, boot: UInt64
    ) throws(CrosstieError) {
        var found: [Cursor] = []
        found.reserveCapacity(known.count)
        var position = 0
        try transaction.scan(StoreKey.cursor) { key, record in
            if let name = known.name(key, at: position), let state = try? CursorState(record, boot: boot) {
                found.append(Cursor(name: name, state: state))
            }
            position += 1
            return .next
        }
        cursors = found
        for index in cursors.indices where cursors[index].state.hasSetAside {
            let state = cursors[index].state
            if state.waitingCount > 0 { waiting.append((index, WaitingReader(of: state))) }
            if state.tally.deadCount > 0 {
                waiting.append((index, WaitingReader(of: state, type: StoreKey.deadLetter)))
            }
        }
    }

    var isEmpty: Bool { cursors.isEmpty }

    /// Every consumer has looked at all messages up to this number.
    var leastNext: UInt64 { cursors.map(\.state.next).min() ?? .max }

    /// Notes which of them are never dropped from.
    /// - Parameter names: in the order of their keys, as the cursors are.
    mutating func protect(_ names: [LimitedConsumer]) {
        var position = 0
        for name in names where name.whenFull != .dropOldest {
            let found = cursors[position...].firstIndex { $0.name.bytes == name.key.bytes }
            guard let found else { continue }
            cursors[found].isProtected = true
            position = found + 1
        }
    }

    /// The first message that waits for a redelivery or is a dead letter; the largest number for none.
    mutating func firstWaiting(in transaction: borrowing StoreTransaction) throws(CrosstieError) -> UInt64 {
        var first = UInt64.max
        for position in waiting.indices {
            first = min(first, try waiting[position].reader.first(in: transaction) ?? .max)
        }
        return first
    }

    /// Whether a message waits for a redelivery, or is a dead letter.
    /// - Parameter onlyProtected: whether to look only at consumers that never drop messages.
    mutating func isWaiting(
        _ sequence: UInt64, onlyProtected: Bool = false, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        for position in waiting.indices where !onlyProtected || cursors[waiting[position].index].isProtected {
            if try waiting[position].reader.contains(sequence, in: transaction) { return true }
        }
        return false
    }

    /// Notes that messages have been removed: they wait no more, and are no dead letters.
    mutating func loseWaiting(
        _ sequences: [UInt64], in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        for position in waiting.indices {
            let index = waiting[position].index
            for sequence in sequences where try waiting[position].reader.contains(sequence, in: transaction) {
                if waiting[position].reader.type == StoreKey.deadLetter {
                    try transaction.removeDeadLetter(sequence, of: cursors[index].state.identity)
                    cursors[index].state.loseDead()
                } else {
                    try transaction.removeWaiting(sequence, of: cursors[index].state.shelf)
                    cursors[index].state.loseWaiting()
                }
                cursors[index].hasChanged = true
            }
        }
    }

    /// Notes that the oldest message of all is dropped, for all from which something may be.
    mutating func drop(_ record: LogRecord, in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        for index in cursors.indices where !cursors[index].isProtected {
            switch try fate(of: record, at: index, in: transaction) {
            case .done: break
            case .missed: cursors[index].drop(record)
            case .skippedMessages: cursors[index].skip(record, isOldest: true)
            }
        }
    }

    /// Notes the removal of a message from the middle of the log, for the cursor at an index.
    mutating func miss(
        _ record: LogRecord, at index: Int, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        switch try fate(of: record, at: index, in: transaction) {
        case .done: break
        case .missed: cursors[index].miss(record)
        case .skippedMessages: cursors[index].skip(record, isOldest: false)
        }
    }

    /// The meaning of a removed message for a consumer.
    private enum Fate {
        /// Not its own, or done. So is a dead letter, even if the consumer has been moved back before it.
        case done
        case missed
        /// One of the dead letters that a name on a prefix is not given.
        case skippedMessages
    }

    private mutating func fate(
        of record: LogRecord, at index: Int, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Fate {
        let sequence = record.stamp.sequence
        guard sequence > cursors[index].state.next, cursors[index].topic.covers(record) else { return .done }
        if cursors[index].topic.isPrefix {
            if cursors[index].options == nil {
                cursors[index].options = try transaction.durableOptions(cursors[index].name)
            }
            if cursors[index].options?.isOfDeadLetters(record.identifier) == true { return .skippedMessages }
        }
        for position in waiting.indices where waiting[position].index == index {
            guard waiting[position].reader.type == StoreKey.deadLetter else { continue }
            return try waiting[position].reader.contains(sequence, in: transaction) ? .done : .missed
        }
        return .missed
    }

    /// Stores those that have changed.
    func store(_ transaction: borrowing StoreTransaction, boot: UInt64) throws(CrosstieError) {
        for index in cursors.indices where cursors[index].hasChanged {
            try transaction.put(cursors[index].state, cursors[index].name, boot: boot)
        }
    }
}
