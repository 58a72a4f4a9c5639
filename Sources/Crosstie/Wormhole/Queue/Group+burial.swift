/// Making dead letters of what was given out in vain often enough, in the step in which that is stored.
extension Group {
    /// Stores dead letters, and passes them on. Gives what was passed, with numbers from `first` on.
    ///
    /// The cursor is stored first, since passing may trim the log, and with it what the cursors say; then it is read again.
    func bury(
        _ dead: [CursorState.Failed.Dead], of cursor: inout CursorState, _ key: CursorKey, _ options: DurableOptions,
        first: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> [PassedOn] {
        var passed: [PassedOn] = []
        for item in dead {
            let number = first &+ UInt64(passed.count)
            try bury(item, of: &cursor, options, as: number, &passed, in: transaction)
        }
        try transaction.put(cursor, key, boot: boot)
        for index in passed.indices { try pass(passed[index], first &+ UInt64(index), in: transaction) }
        if let now = try transaction.cursor(key, boot: boot) { cursor = now }
        return passed
    }

    /// Stores one. What is no more in the log is done: somebody destroyed it.
    private func bury(
        _ item: CursorState.Failed.Dead, of cursor: inout CursorState, _ options: DurableOptions, as number: UInt64,
        _ passed: inout [PassedOn], in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var isThere = false
        var passedOn: PassedOn?
        try transaction.withLogged(item.delivery.sequence) { record throws(CrosstieError) in
            isThere = true
            passedOn = try PassedOn(record, options)
        }
        guard isThere else { return }
        var burial = Burial(
            sequence: item.delivery.sequence, deliveries: item.delivery.attempts, time: WallClock.now(),
            reason: item.reason)
        if let passedOn {
            burial.passedAs = number
            passed.append(passedOn)
        }
        if try transaction.burial(burial.sequence, of: cursor.identity) == nil { cursor.bury() }
        try transaction.put(burial, of: cursor.identity)
    }

    private func pass(
        _ passedOn: PassedOn, _ number: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        let outcome = withUnsafePointer(to: passedOn.change) { change in
            let changes = UnsafeBufferPointer(start: change, count: 1)
            return Result { () throws(CrosstieError) in
                try apply(changes, NewestChanges(changes), from: passedOn.sender, number, to: transaction)
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
                    room += Burial.footprint + 2 * (StateRecord.size(name: 64, payload: record.payload.count) + 128)
                }
            }
            return room
        }
    }
}

/// What is passed on of a dead letter. It owns what its change borrows.
final class PassedOn {
    let change: Change
    let sender: Sender
    private let text: UnsafeMutableRawBufferPointer

    /// Nil for nothing: what says that something was destroyed, or cannot be read, or would have no identifier.
    init?(_ record: LogRecord, _ options: DurableOptions) throws(CrosstieError) {
        guard !record.identifier.isEmpty, record.kind != .destroyed,
            let identifier = options.deadLetter(of: record.identifier)
        else { return nil }
        var content: ValueRef?
        var size = 0
        if record.kind == .value {
            guard let value = try? MessagePack.decode(record.payload) else { return nil }
            do throws(CrosstieError) {
                size = try MessagePack.encodedSize(of: value)
            } catch {
                value.release()
                throw error
            }
            content = value
        }
        text = .allocate(byteCount: identifier.count, alignment: 1)
        text.copyBytes(from: identifier)
        change = Change(record.kind, Identifier(UnsafeRawBufferPointer(text)), content, size: size)
        // A full name must not keep the other one from getting on.
        sender = Sender(pid: record.stamp.pid, name: Array(record.name), keepsLimits: false)
    }

    deinit {
        change.content?.release()
        text.deallocate()
    }
}
