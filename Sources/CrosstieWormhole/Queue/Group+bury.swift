/// Making dead letters of what was given out in vain often enough, in the step in which that is stored.
extension Group {
    /// Stores dead letters, and passes them on. Gives what was passed, with numbers from `first` on.
    ///
    /// The cursor is stored first, since passing may trim the log, and with it what the cursors say; then it is read again.
    func bury(
        _ dead: [CursorState.Failed.Dead], of cursor: inout CursorState, _ key: CursorKey, _ options: DurableOptions,
        first: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> [ForwardedDeadLetter] {
        var forwarded: [ForwardedDeadLetter] = []
        for item in dead {
            let number = first &+ UInt64(forwarded.count)
            try bury(item, of: &cursor, key, options, as: number, &forwarded, in: transaction)
        }
        try transaction.put(cursor, key, boot: boot)
        for index in forwarded.indices { try forward(forwarded[index], first &+ UInt64(index), in: transaction) }
        if let now = try transaction.cursor(key, boot: boot) { cursor = now }
        return forwarded
    }

    /// Stores one. A message that is no longer in the log is done: it was destroyed.
    private func bury(
        _ item: CursorState.Failed.Dead, of cursor: inout CursorState, _ key: CursorKey, _ options: DurableOptions,
        as number: UInt64, _ forwarded: inout [ForwardedDeadLetter], in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var isThere = false
        var copy: ForwardedDeadLetter?
        var burial = Burial(
            sequence: item.delivery.sequence, deliveries: item.delivery.attempts, time: WallClock.now(),
            reason: item.reason)
        let known = burial
        try transaction.withLogged(known.sequence) { record in
            isThere = true
            copy = ForwardedDeadLetter(record, known, key, options)
        }
        guard isThere else { return }
        if let copy {
            burial.passedAs = number
            forwarded.append(copy)
        }
        if try transaction.burial(burial.sequence, of: cursor.identity) == nil { cursor.bury() }
        try transaction.put(burial, of: cursor.identity)
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

    /// Bytes that the dead letters take which may come of a listener's answers, and what is passed on of them.
    func roomForBurials(_ request: ClaimRequest) throws(CrosstieError) -> Int {
        guard request.buries, request.freesTheDead || request.answers.contains(where: \.isFailure) else { return 0 }
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
                    room += Burial.footprint + 2 * (StateRecord.size(name: 64, payload: record.payload.count) + 2048)
                }
            }
            return room
        }
    }
}

/// The copy of a dead letter. It owns what its change borrows.
final class ForwardedDeadLetter {
    let change: Change
    let sender: Sender
    private let text: UnsafeMutableRawBufferPointer

    /// Nil for nothing: what says that something was destroyed, or would have no identifier.
    init?(_ record: LogRecord, _ burial: Burial, _ key: CursorKey, _ options: DurableOptions) {
        guard !record.identifier.isEmpty, record.kind != .destroyed,
            let identifier = options.deadLetter(of: record.identifier)
        else { return nil }
        text = .allocate(byteCount: identifier.count, alignment: 1)
        text.copyBytes(from: identifier)
        // A full name must not keep the other one from getting on.
        sender = Sender(pid: record.stamp.pid, name: Array(record.name), keepsLimits: false)
        let tags = ForwardedDeadLetter.tags(record, burial, key)
        guard let copied = Identifier(UnsafeRawBufferPointer(text)) else {
            change = Change(.destroyed, nil)
            return nil
        }
        change = Change(record.kind, copied, head: tags + Array(record.payload), isTagged: !tags.isEmpty)
    }

    deinit { text.deallocate() }

    /// The message's own headers, and as many of those that tell of its death as there is room for.
    private static func tags(_ record: LogRecord, _ burial: Burial, _ key: CursorKey) -> [UInt8] {
        var headers: [(name: [UInt8], value: [UInt8])] = []
        if let own = MessageTags(record.tags) {
            for index in 0..<own.count {
                guard let pair = own[index] else { break }
                headers.append((Array(pair.name), Array(pair.value)))
            }
        }
        let added: [(String, [UInt8])] = [
            ("dead_reason", burial.reason), ("dead_name", Array(key.name)),
            ("dead_deliveries", digits(burial.deliveries)),
            ("dead_identifier", Array(record.identifier)), ("dead_sequence", digits(burial.sequence)),
        ]
        // Of one that has been a dead letter before, the last death counts.
        headers.removeAll { header in added.contains { header.name == Array($0.0.utf8) } }
        var size = headers.reduce(0) { $0 + $1.name.count + $1.value.count }
        for (name, value) in added {
            let name = Array(name.utf8)
            guard headers.count < MessageTags.maximumCount,
                size + name.count + value.count <= MessageTags.maximumSize
            else { continue }
            headers.append((name, value))
            size += name.count + value.count
        }
        return MessageTags.encoded(headers, expiry: 0) ?? []
    }

    private static func digits(_ number: some BinaryInteger) -> [UInt8] { Array(String(UInt64(number)).utf8) }
}
