/// The limits of durable consumers. A sender checks the backlog of the topic's durable consumers, unless it knows that
/// there is room.
extension Group {
    /// Throws if a consumer that needs some of the changes is full, and refuses them then or makes their sender wait:
    /// *queueFull*, or *pending* if waiting may help. Nothing has been written. Destroying makes room, and is never
    /// refused.
    @inline(never)
    func checkLimits(
        _ changes: UnsafeBufferPointer<Change>, after newest: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        if hasRoomFor(changes, adding: .of(changes), upTo: newest, isDropping: false) { return }
        var hindrance: CrosstieError?
        for (index, position, more) in limited(changes, isDropping: false) where more.index > 0 {
            let name = interests.table.limited[index]
            let most = name.most(limits)
            guard !more.exceeds(most) else {
                throw CrosstieError(
                    .limitExceeded, "\(name.description) takes at most \(name.limitText(most)) at a time")
            }
            guard let record = try transaction.cursorRecord(name.key), let taken = CursorState.taken(record) else {
                continue
            }
            var backlog = try backlog(of: name, at: position, taken: taken, newest: newest, in: transaction)
            backlogBounds.note(index, backlog, upTo: newest, wakeups)
            backlog.add(more)
            if name.skips, backlog.exceeds(most), let next = try transaction.cursor(name.key, boot: boot)?.next {
                let others = try skippedMessages.count(
                    for: name, after: next, upTo: newest, interests.table, in: transaction)
                backlog = backlog.since(others)
            }
            guard backlog.exceeds(most) else { continue }
            let isWait = name.whenFull == .wait
            let error = CrosstieError(
                isWait ? .pending : .queueFull, "\(name.description) is full: \(name.limitText(most))")
            guard isWait else { throw error }
            hindrance = error
        }
        if let hindrance { throw hindrance }
    }

    /// Drops the oldest messages of names with limits that have got some of the changes, as far as they have too many
    /// now.
    @inline(never)
    func dropBeyondLimits(
        _ changes: UnsafeBufferPointer<Change>, upTo newest: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        if hasRoomFor(changes, adding: LogTail(), upTo: newest, isDropping: true) { return }
        for (index, position, _) in limited(changes, isDropping: true) {
            let name = interests.table.limited[index]
            let backlog = try dropOldest(of: name, at: position, newest: newest, in: transaction)
            if let backlog { backlogBounds.note(index, backlog, upTo: newest, wakeups) }
        }
    }

    /// Whether all names with limits that get some of the changes have room for more, as far as is known without a look
    /// into the store.
    /// - Parameter isDropping: whether those are meant whose oldest messages go, or the others.
    private func hasRoomFor(
        _ changes: UnsafeBufferPointer<Change>, adding more: LogTail, upTo newest: UInt64, isDropping: Bool
    ) -> Bool {
        // Messages queued by other machines are not known here.
        guard hostMembers == nil else { return false }
        let table = interests.table
        backlogBounds.follow(table)
        var hasRoom = true
        for change in changes where hasRoom {
            table.forEach(in: change.identifier) { position in
                table.forEachLimit(position) { index in
                    guard hasRoom, isDropping == (table.limited[index].whenFull == .dropOldest) else { return }
                    hasRoom = backlogBounds.allows(
                        more, index, upTo: newest, wakeups, most: table.limited[index].most(limits))
                }
            }
        }
        return hasRoom
    }

    /// The indices of the names with limits that get some of the changes, with the position of their interest, and how much
    /// that is.
    private func limited(
        _ changes: UnsafeBufferPointer<Change>, isDropping: Bool
    ) -> [(index: Int, position: Int, more: LogTail)] {
        let table = interests.table
        var found: [(index: Int, position: Int, more: LogTail)] = []
        var positions = [Int](repeating: -1, count: table.limited.count)
        for change in changes {
            table.forEach(in: change.identifier) { position in
                table.forEachLimit(position) { index in
                    guard isDropping == (table.limited[index].whenFull == .dropOldest) else { return }
                    // Another topic may have the same hash.
                    if let identifier = change.identifier?.bytes {
                        let name = table.limited[index]
                        guard name.topic.covers(identifier), !name.skips(identifier) else { return }
                    }
                    if positions[index] < 0 {
                        positions[index] = found.count
                        found.append((index, position, LogTail()))
                    }
                    found[positions[index]].more.add(change)
                }
            }
        }
        return found
    }

    /// Drops the messages that a consumer cannot keep with its new options.
    func dropBeyondLimits(
        _ key: CursorKey, _ options: DurableOptions, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        guard !options.isProtected else { return }
        try transaction.dropUnprotected(key, options, boot: boot)
        guard let name = LimitedConsumer(key, options) else { return }
        _ = try dropOldest(of: name, in: transaction)
    }

    /// Drops the oldest messages of a name that has too many. Gives how much waited for it before; nil if it cannot be read.
    /// - Parameters:
    ///   - position: of its interest; nil where the table does not have it yet.
    ///   - newest: the last number that has been queued.
    private func dropOldest(
        of name: LimitedConsumer, at position: Int? = nil, newest: UInt64 = 0,
        in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> LogTail? {
        let record = try transaction.cursorRecord(name.key)
        guard let record, let taken = CursorState.taken(record) else { return nil }
        let most = name.most(limits)
        let backlog = try backlog(of: name, at: position, taken: taken, newest: newest, in: transaction)
        // A cursor that cannot be read needs nothing.
        guard backlog.exceeds(most), var cursor = try? CursorState(record, boot: boot) else { return backlog }
        var others = LogTail()
        if name.skips {
            others = try skippedMessages.count(
                for: name, after: cursor.next, upTo: newest, interests.table, in: transaction)
        }
        guard backlog.since(others).exceeds(most) else { return backlog }
        try transaction.dropOldest(of: name, backlog, but: others, most: most, &cursor)
        try transaction.put(cursor, name.key, boot: boot)
        return backlog
    }

    /// The amount that waits for its first delivery, when a consumer has taken so much. This process knows its own
    /// queued messages without a look into the log.
    private func backlog(
        of name: LimitedConsumer, at position: Int?, taken: LogTail, newest: UInt64,
        in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> LogTail {
        let counted = try transaction.meta().counted
        var logged = try transaction.interest(name.topic)?.logged ?? LogTail()
        if let position, let known = queuedCounts.known(interests.table, at: position, after: counted, upTo: newest) {
            logged.add(known)
        } else {
            logged.add(try transaction.countLogged(name.topic, after: counted))
        }
        return logged.since(taken)
    }
}

extension LimitedConsumer {
    fileprivate func limitText(_ most: LogTail) -> String { "\(most.index) messages, \(most.total) bytes" }
}

extension StoreTransaction {
    func cursorRecord(_ key: CursorKey) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        try key.bytes.withBytes { bytes throws(CrosstieError) in try get(StoreKey.cursor, bytes) }
    }

    /// Drops messages that were kept for one consumer alone, after others had to go without them.
    fileprivate func dropUnprotected(
        _ key: CursorKey, _ options: DurableOptions, boot: UInt64
    ) throws(CrosstieError) {
        let end = try meta().dropped
        guard var cursor = try cursor(key, boot: boot), cursor.next < end else { return }
        var dead = WaitingReader(of: cursor, type: StoreKey.deadLetter)
        try scanLog(after: cursor.next) { sequence, record throws(CrosstieError) in
            guard sequence <= end else { return .stop }
            guard let record, key.topic.covers(record), try !dead.contains(sequence, in: self) else { return .next }
            if key.topic.isPrefix, options.isOfDeadLetters(record.identifier) {
                cursor.skip(sequence, size: record.payload.count)
            } else {
                cursor.drop(sequence, size: record.payload.count)
            }
            return .next
        }
        try put(cursor, key, boot: boot)
    }

    fileprivate func dropOldest(
        of name: LimitedConsumer, _ backlog: LogTail, but others: LogTail, most: LogTail, _ cursor: inout CursorState
    ) throws(CrosstieError) {
        var backlog = backlog.since(others)
        var dead = WaitingReader(of: cursor, type: StoreKey.deadLetter)
        try scanLog(after: cursor.next) { sequence, record throws(CrosstieError) in
            guard backlog.exceeds(most) else { return .stop }
            guard let record, name.topic.covers(record), try !dead.contains(sequence, in: self) else { return .next }
            guard !name.skips(record.identifier) else {
                cursor.skip(sequence, size: record.payload.count)
                return .next
            }
            cursor.drop(sequence, size: record.payload.count)
            backlog.index &-= min(backlog.index, 1)
            backlog.total &-= min(backlog.total, UInt64(clamping: record.payload.count))
            return .next
        }
        // Damage may have spoilt the counts: there is nothing left.
        if backlog.exceeds(most) { cursor.tally.taken.add(backlog) }
    }
}
