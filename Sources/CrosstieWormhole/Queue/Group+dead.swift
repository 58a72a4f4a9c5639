/// Dead letters of a durable consumer: listing and reading them, putting them back and removing them.
extension Group {
    /// Some in one reading: one that lasts keeps pages of the store from being used again; and in one step.
    private static var deadStep: Int { 256 }

    /// Dead letters after a number, in the order of their numbers.
    func deadLetters(of key: CursorKey, after: UInt64, limit: Int) throws(CrosstieError) -> [Wormhole.DeadLetter] {
        var found: [Wormhole.DeadLetter] = []
        var isOver = false
        while !isOver, found.count < limit {
            let from = found.last?.sequence ?? after
            let count = min(limit - found.count, Group.deadStep)
            let some = try read { snapshot throws(CrosstieError) in
                try snapshot.deadLetters(of: try knownCursor(key, in: snapshot).identity, after: from, limit: count)
            }
            found += some
            isOver = some.count < count
        }
        return found
    }

    /// A dead letter with its value; nil if there is none of that number.
    func deadLetter(_ sequence: UInt64, of key: CursorKey) throws(CrosstieError) -> Message? {
        try read { snapshot throws(CrosstieError) in
            let cursor = try knownCursor(key, in: snapshot)
            guard let letter = try snapshot.deadLetterRecord(sequence, of: cursor.identity) else { return nil }
            var message: Message?
            try snapshot.withLogged(sequence) { message = Message.queued($0, for: key.topic) }
            let found =
                message
                ?? key.topic.text.withUnsafeBytes { text in
                    Message.unreadable(under: text, stamp: Stamp(sequence: sequence))
                }
            found.deliveryCount = letter.deliveries
            found.setReason(String(decoding: letter.reason, as: UTF8.self))
            return found
        }
    }

    /// Puts dead letters back, or removes them, in steps.
    /// - Parameters:
    ///   - sequence: of one, which has to be there; nil: all.
    ///   - count: raised with each step by how many it were.
    func resolveDeadLetters(
        _ action: DeadLetterAction, _ sequence: UInt64?, of key: CursorKey, timeout: UInt64, count: inout UInt64
    ) throws(CrosstieError) {
        guard sequence != .max else { throw CrosstieError.noDeadLetter(.max, of: key.name) }
        var after = sequence.map { $0 &- 1 } ?? 0
        var isOver = false
        // A durable consumer that was forgotten meanwhile and made again has other dead letters.
        var identity: UInt64?
        while !isOver {
            let some = try resolveSomeDeadLetters(
                action, of: key, &identity, after: after, upTo: sequence ?? .max, timeout: timeout)
            if let sequence, some.isEmpty { throw CrosstieError.noDeadLetter(sequence, of: key.name) }
            count &+= UInt64(some.count)
            after = some.last ?? after
            isOver = sequence != nil || some.count < Group.deadStep
        }
    }

    private func resolveSomeDeadLetters(
        _ action: DeadLetterAction, of key: CursorKey, _ identity: inout UInt64?, after: UInt64, upTo last: UInt64,
        timeout: UInt64
    ) throws(CrosstieError) -> [UInt64] {
        var resolved: [UInt64] = []
        let known = identity
        var found = known
        _ = try transactSeldom(
            count: 0, timeout: timeout, room: action == .retry ? Group.deadStep * WaitingMessage.footprint : nil,
            identifier: { _ in nil },
            listeners: { action == .retry && !resolved.isEmpty ? sharers(of: key.topic) : MemberMask() }
        ) { transaction, next throws(CrosstieError) in
            resolved = []
            var cursor = try knownCursor(key, in: transaction)
            guard known == nil || known == cursor.identity else { return }
            found = cursor.identity
            let limit = last < .max ? 1 : Group.deadStep
            for letter in try transaction.deadLetterRecords(of: cursor.identity, after: after, limit: limit) {
                guard letter.sequence <= last else { break }
                try transaction.removeDeadLetter(letter.sequence, of: cursor.identity)
                cursor.loseDead()
                resolved.append(letter.sequence)
                if letter.sequence > cursor.next {
                    try transaction.untake(letter.sequence, of: &cursor)
                    // More waits for it than anybody knows.
                    wakeups.countInterestChange()
                }
                // One that is still ahead, or in hand, is not delivered twice.
                guard action == .retry, try !transaction.isToBeGivenOut(letter.sequence, by: cursor) else { continue }
                try transaction.put(cursor.retry(letter.sequence), of: cursor.shelf)
            }
            guard !resolved.isEmpty else { return }
            try transaction.put(cursor, key, boot: boot)
            if action == .drop { try trimIfDue(transaction, consumed: resolved.count, newest: next &- 1) }
        }
        identity = found
        return resolved
    }

    private func knownCursor(
        _ key: CursorKey, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> CursorState {
        guard let cursor = try transaction.cursor(key, boot: boot) else {
            throw CrosstieError.noDurable(named: key.bytes.split(separator: 0).first.map(Array.init) ?? [])
        }
        return cursor
    }
}

extension CrosstieError {
    package static func noDeadLetter(_ sequence: UInt64, of name: some Sequence<UInt8>) -> CrosstieError {
        CrosstieError(.notFound, "the durable consumer \(Quotation.quoted(name)) has no dead letter \(sequence)")
    }
}

extension StoreTransaction {
    fileprivate func isToBeGivenOut(_ sequence: UInt64, by cursor: CursorState) throws(CrosstieError) -> Bool {
        if cursor.needs(sequence) { return true }
        return try firstWaiting(of: cursor.shelf, from: sequence) == sequence
    }

    /// Makes a message wait again that the consumer has yet to reach: it was a dead letter.
    fileprivate func untake(_ sequence: UInt64, of cursor: inout CursorState) throws(CrosstieError) {
        try withLogged(sequence) { record in cursor.tally.untake(1, size: record.payload.count) }
    }

    fileprivate func deadLetters(
        of identity: UInt64, after: UInt64, limit: Int
    ) throws(CrosstieError) -> [Wormhole.DeadLetter] {
        var found: [Wormhole.DeadLetter] = []
        for record in try deadLetterRecords(of: identity, after: after, limit: limit) {
            var letter = Wormhole.DeadLetter(record)
            try withLogged(letter.sequence) { record in
                letter.kind = record.kind
                letter.identifier = String(decoding: record.identifier, as: UTF8.self)
                letter.size = record.payload.count
                letter.time = record.stamp.time
                letter.senderPID = record.stamp.pid
                letter.senderName = String(decoding: record.name, as: UTF8.self)
            }
            found.append(letter)
        }
        return found
    }
}
