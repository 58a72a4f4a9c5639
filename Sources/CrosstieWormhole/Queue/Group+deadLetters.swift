/// Making dead letters of messages that failed too often, in the step that stores the failures.
extension Group {
    /// Stores dead letters, and forwards them. Returns the forwarded ones, with numbers from `first` on.
    ///
    /// The cursor is stored before and read again afterwards, because forwarding may trim the log and change the cursors.
    func addDeadLetters(
        _ dead: [CursorState.Failed.Dead], of cursor: inout CursorState, _ key: CursorKey, _ options: DurableOptions,
        first: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> [ForwardedDeadLetter] {
        var forwarded: [ForwardedDeadLetter] = []
        for item in dead {
            let number = first &+ UInt64(forwarded.count)
            try addDeadLetter(item, of: &cursor, key, options, as: number, &forwarded, in: transaction)
        }
        try transaction.put(cursor, key, boot: boot)
        for index in forwarded.indices { try forward(forwarded[index], first &+ UInt64(index), in: transaction) }
        if let now = try transaction.cursor(key, boot: boot) { cursor = now }
        return forwarded
    }

    /// Stores one. A message that is no longer in the log was destroyed, and is done.
    private func addDeadLetter(
        _ item: CursorState.Failed.Dead, of cursor: inout CursorState, _ key: CursorKey, _ options: DurableOptions,
        as number: UInt64, _ forwarded: inout [ForwardedDeadLetter], in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var isThere = false
        var copy: ForwardedDeadLetter?
        var letter = DeadLetterRecord(
            sequence: item.delivery.sequence, deliveries: item.delivery.attempts, time: WallClock.now(),
            reason: item.reason)
        let known = letter
        try transaction.withLogged(known.sequence) { record in
            isThere = true
            copy = ForwardedDeadLetter(record, known, key, options)
        }
        guard isThere else { return }
        if let copy {
            letter.sentAs = number
            forwarded.append(copy)
        }
        if try transaction.deadLetterRecord(letter.sequence, of: cursor.identity) == nil { cursor.addDead() }
        try transaction.put(letter, of: cursor.identity)
    }

    private func forward(
        _ copy: ForwardedDeadLetter, _ number: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        let outcome = withUnsafePointer(to: copy.change) { change in
            let changes = UnsafeBufferPointer(start: change, count: 1)
            return Result { () throws(CrosstieError) in
                try apply(changes, NewestChanges(changes), from: copy.sender, number, to: transaction)
            }
        }
        try outcome.get()
    }

    /// Bytes of the dead letters that a listener's answers may cause, and of their forwarded copies.
    func roomForDeadLetters(_ request: ClaimRequest) throws(CrosstieError) -> Int {
        guard request.makesDeadLetters, request.freesTheDead || request.answers.contains(where: \.isFailure) else {
            return 0
        }
        let failed = Set(request.answers.lazy.filter(\.isFailure).map(\.sequence))
        return try read { snapshot throws(CrosstieError) in
            let options = try snapshot.durableOptions(request.key)
            guard options.maximumDeliveries > 0, let cursor = try snapshot.cursor(request.key, boot: boot) else {
                return 0
            }
            var room = 0
            for delivery in cursor.outstanding where options.areEnough(delivery.attempts) {
                guard request.freesTheDead || failed.contains(delivery.sequence) else { continue }
                try snapshot.withLogged(delivery.sequence) { record in
                    room +=
                        DeadLetterRecord.footprint + 2
                        * (StateRecord.size(name: 64, payload: record.payload.count) + 2048)
                }
            }
            return room
        }
    }
}
