/// The limits of durable names. Whoever passes looks what waits for those that want it, which costs a look at two records
/// for each name with a limit, and nothing where there is none.
extension Group {
    /// Throws when a name is full that wants some of the changes, and refuses them then or has their sender wait: *full*,
    /// or *pending* where it is worth waiting. Nothing has been written. What is destroyed makes room, and is never
    /// refused.
    @inline(never)
    func checkLimits(
        _ changes: UnsafeBufferPointer<Change>, after newest: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var hindrance: CrosstieError?
        for (name, position, more) in limited(changes, where: { $0 != .dropOldest }) where more.index > 0 {
            let most = name.most(limits)
            guard !more.exceeds(most) else {
                throw CrosstieError(.limit, "\(name.description) takes at most \(name.limitText(most)) at a time")
            }
            guard let record = try transaction.cursorRecord(name.key), let taken = CursorState.taken(record) else {
                continue
            }
            var backlog = try backlog(of: name, at: position, taken: taken, newest: newest, in: transaction)
            backlog.add(more)
            if name.passesOver, backlog.exceeds(most), let next = try transaction.cursor(name.key, boot: boot)?.next {
                let others = try passedOver.count(
                    for: name, after: next, upTo: newest, interests.table, in: transaction)
                backlog = backlog.since(others)
            }
            guard backlog.exceeds(most) else { continue }
            let isWait = name.whenFull == .wait
            let error = CrosstieError(isWait ? .pending : .full, "\(name.description) is full: \(name.limitText(most))")
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
        for (name, position, _) in limited(changes, where: { $0 == .dropOldest }) {
            try dropOldest(of: name, at: position, newest: newest, in: transaction)
        }
    }

    /// The names with limits that get some of the changes, with the position of their interest, and how much that is.
    private func limited(
        _ changes: UnsafeBufferPointer<Change>, where isMeant: (DurableOptions.WhenFull) -> Bool
    ) -> [(name: LimitedName, position: Int, more: LogTail)] {
        let table = interests.table
        var found: [(name: LimitedName, position: Int, more: LogTail)] = []
        var places = [Int](repeating: -1, count: table.limited.count)
        for change in changes {
            table.forEach(in: change.identifier) { position in
                for index in table.limits(position) where isMeant(table.limited[index].whenFull) {
                    let name = table.limited[index]
                    // Another topic may have the same hash.
                    if let identifier = change.identifier?.bytes {
                        guard name.topic.covers(identifier), !name.passesOver(identifier) else { continue }
                    }
                    if places[index] < 0 {
                        places[index] = found.count
                        found.append((name, position, LogTail()))
                    }
                    if change.makesRoom { continue }
                    found[places[index]].more.index &+= 1
                    found[places[index]].more.total &+= UInt64(clamping: change.valueSize)
                }
            }
        }
        return found
    }

    /// Drops what a name cannot keep with options that it has got just now.
    func dropBeyondLimits(
        _ key: CursorKey, _ options: DurableOptions, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        guard !options.isProtected else { return }
        try transaction.dropUnprotected(key, boot: boot)
        guard let name = LimitedName(key, options) else { return }
        try dropOldest(of: name, in: transaction)
    }

    /// Drops the oldest messages of a name that has too many.
    /// - Parameters:
    ///   - position: of its interest; nil where the table does not have it yet.
    ///   - newest: the last number that has been queued.
    private func dropOldest(
        of name: LimitedName, at position: Int? = nil, newest: UInt64 = 0, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        guard let record = try transaction.cursorRecord(name.key), let taken = CursorState.taken(record) else { return }
        let most = name.most(limits)
        let backlog = try backlog(of: name, at: position, taken: taken, newest: newest, in: transaction)
        guard backlog.exceeds(most) else { return }
        // A cursor that cannot be read needs nothing.
        guard var cursor = try? CursorState(record, boot: boot) else { return }
        var others = LogTail()
        if name.passesOver {
            others = try passedOver.count(
                for: name, after: cursor.next, upTo: newest, interests.table, in: transaction)
        }
        guard backlog.since(others).exceeds(most) else { return }
        try transaction.dropOldest(of: name, backlog, but: others, most: most, &cursor)
        try transaction.put(cursor, name.key, boot: boot)
    }

    /// How much waits to be handed out for the first time, when a name has taken so much. What this process has queued
    /// itself it knows without a look into the log.
    private func backlog(
        of name: LimitedName, at position: Int?, taken: LogTail, newest: UInt64,
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

extension LimitedName {
    fileprivate func limitText(_ most: LogTail) -> String { "\(most.index) messages, \(most.total) bytes" }
}

extension StoreTransaction {
    func cursorRecord(_ key: CursorKey) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        try key.bytes.withBytes { bytes throws(CrosstieError) in try get(StoreKey.cursor, bytes) }
    }

    /// Drops what was kept for a name alone, when others had to do without.
    fileprivate func dropUnprotected(_ key: CursorKey, boot: UInt64) throws(CrosstieError) {
        let end = try meta().dropped
        guard var cursor = try cursor(key, boot: boot), cursor.next < end else { return }
        var dead = WaitingReader(of: cursor, type: StoreKey.burial)
        try scanLog(after: cursor.next) { sequence, record throws(CrosstieError) in
            guard sequence <= end else { return .stop }
            guard let record, key.topic.covers(record), try !dead.contains(sequence, in: self) else { return .next }
            cursor.drop(sequence, size: record.payload.count)
            return .next
        }
        try put(cursor, key, boot: boot)
    }

    fileprivate func dropOldest(
        of name: LimitedName, _ backlog: LogTail, but others: LogTail, most: LogTail, _ cursor: inout CursorState
    ) throws(CrosstieError) {
        var backlog = backlog.since(others)
        var dead = WaitingReader(of: cursor, type: StoreKey.burial)
        try scanLog(after: cursor.next) { sequence, record throws(CrosstieError) in
            guard backlog.exceeds(most) else { return .stop }
            guard let record, name.topic.covers(record), try !dead.contains(sequence, in: self) else { return .next }
            guard !name.passesOver(record.identifier) else {
                cursor.passOver(sequence, size: record.payload.count)
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
