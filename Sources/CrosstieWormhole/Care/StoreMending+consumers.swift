/// The records of durable consumers, their waiting messages and dead letters.
extension StoreMending {
    mutating func takeCursor(_ key: [UInt8], _ record: [UInt8]?) {
        let name = Array(key.dropFirst())
        guard StoreMending.isDurableName(name) else { return lose(key, "cannot be read") }
        if let cursor = record.flatMap({ $0.withUnsafeBytes { try? CursorState($0, boot: boot) } }),
            max(cursor.identity, cursor.shelf, cursor.next) < StoreMending.largestNumber
        {
            cursors[name] = cursor
            number = max(number, cursor.identity, cursor.shelf)
            newest = max(newest, cursor.next)
        } else {
            lose(key, "cannot be read: the name begins with the oldest message that is kept")
            makeCursor(name)
        }
    }

    /// A name that has been given nothing.
    mutating func makeCursor(_ name: [UInt8]) {
        number += 1
        let topic = name.withUnsafeBytes { CursorKey.topic($0)?.text } ?? []
        var tally = CursorState.Tally()
        tally.taken = interests[topic]?.logged ?? LogTail()
        cursors[name] = CursorState(identity: number, next: 0, tally: tally)
    }

    static func isDurableName(_ name: [UInt8]) -> Bool {
        name.withUnsafeBytes { bytes in
            guard CursorKey.topic(bytes) != nil, let end = bytes.lastIndex(of: 0) else { return false }
            return (1...Identifier.maximumSize).contains(end)
        }
    }

    mutating func takeDeclared(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        let name = Array(key.dropFirst())
        guard StoreMending.isDurableName(name) else { return lose(key, "cannot be read") }
        if cursors[name] == nil {
            let cursor = [StoreKey.cursor] + name
            lose(cursor, "is missing: the name begins with the oldest message that is kept")
            makeCursor(name)
        }
        guard let record else { return lose(key, "cannot be read: the name has the defaults") }
        try keep(key, record)
    }

    mutating func takeWaiting(_ key: [UInt8], _ record: [UInt8]?) {
        let found = Array(key.dropFirst()).withUnsafeBytes { rest -> (UInt64, UInt64)? in
            guard let identity = WaitingKey.identity(rest), let sequence = WaitingKey.sequence(rest) else { return nil }
            return (identity, sequence)
        }
        guard let (identity, sequence) = found else { return lose(key, "cannot be read") }
        let due = record.flatMap { $0.withUnsafeBytes { DueTime($0) } } ?? DueTime(era: 0, clock: 0)
        waiting[identity, default: [:]][sequence] = WaitingMessage(sequence: sequence, attempts: 1, due: due)
    }

    /// The record under a time says how often; where one of the two is lost, the other one stands for both.
    mutating func takeDue(_ key: [UInt8], _ record: [UInt8]?) {
        let rest = Array(key.dropFirst())
        let attempts: [UInt8] = record ?? [1, 0, 0, 0]
        let found = rest.withUnsafeBytes { rest in
            attempts.withUnsafeBytes { (WaitingKey.identity(rest), WaitingMessage(key: rest, $0)) }
        }
        guard let identity = found.0, let message = found.1 else { return lose(key, "cannot be read") }
        waiting[identity, default: [:]][message.sequence] = message
    }

    /// A dead letter whose record cannot be read is one all the same: its message is still in the log.
    mutating func takeDeadLetter(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        let location = Array(key.dropFirst()).withUnsafeBytes { (WaitingKey.identity($0), WaitingKey.sequence($0)) }
        guard let identity = location.0, let sequence = location.1 else { return lose(key, "cannot be read") }
        deadCounts[identity, default: 0] += 1
        if let record { return try keep(key, record) }
        lose(key, "cannot be read: why and when it became a dead letter is lost")
        let letter = DeadLetterRecord(sequence: sequence, deliveries: 0, time: 0)
        var bytes = [UInt8](repeating: 0, count: letter.encodedSize)
        bytes.withUnsafeMutableBytes { letter.write(into: $0) }
        try keep(key, bytes)
    }

    /// Writes the messages that wait for an existing consumer and that it has already claimed.
    mutating func putWaiting() throws(CrosstieError) {
        for (name, cursor) in cursors {
            let given = Set(cursor.outstanding.map(\.sequence))
            var count: UInt64 = 0
            for (sequence, message) in waiting[cursor.shelf] ?? [:] where sequence <= cursor.next {
                if sequence == 0 || given.contains(sequence) { continue }
                let key = WaitingKey.bySequence(sequence, of: cursor.shelf)
                var record = [UInt8](repeating: 0, count: WaitingMessage.size)
                record.withUnsafeMutableBytes { room in
                    message.due.write(into: room)
                }
                try put([StoreKey.waiting] + key, record, isLast: false)
                let time = WaitingKey.byTime(message.due, sequence, of: cursor.shelf)
                let attempts = withUnsafeBytes(of: message.attempts) { Array($0) }
                try put([StoreKey.due] + time, attempts, isLast: false)
                count += 1
            }
            cursors[name] = cursor.with(waitingCount: count, deadCount: deadCounts[cursor.identity] ?? 0)
        }
    }
}

extension CursorState {
    /// The same with other counts of waiting messages and of dead letters.
    func with(waitingCount: UInt64, deadCount: UInt64) -> CursorState {
        var tally = tally
        tally.deadCount = deadCount
        return CursorState(
            identity: identity, next: next, missed: missed, missedOwner: missedOwner, outstanding: outstanding,
            waitingCount: waitingCount, era: era, isTurnOfNew: isTurnOfNew, tally: tally, shelf: shelf)
    }
}
