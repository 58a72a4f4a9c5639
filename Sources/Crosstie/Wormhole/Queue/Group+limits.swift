/// The limits of durable names. Whoever passes looks what waits for those that want it, which costs a look at two records
/// for each name with a limit, and nothing where there is none.
extension Group {
    /// Throws when a name is full that wants some of the changes, and refuses them then or has their sender wait: *full*,
    /// or *pending* where it is worth waiting. Nothing has been written. What is destroyed makes room, and is never
    /// refused.
    @inline(never)
    func checkLimits(
        _ changes: UnsafeBufferPointer<Change>, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var hindrance: CrosstieError?
        for (name, more) in limited(changes, where: { $0 != .dropOldest }) where more.index > 0 {
            let most = name.most(limits)
            guard !more.exceeds(most) else {
                throw CrosstieError(.limit, "\(name.description) takes at most \(name.limitText(most)) at a time")
            }
            guard let record = try transaction.cursorRecord(name.key), let taken = CursorState.taken(record) else {
                continue
            }
            var backlog = try transaction.backlog(name.topic, taken: taken)
            backlog.add(more)
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
        _ changes: UnsafeBufferPointer<Change>, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        for (name, _) in limited(changes, where: { $0 == .dropOldest }) {
            try transaction.dropOldest(of: name, most: name.most(limits), boot: boot)
        }
    }

    /// The names with limits that get some of the changes, with how much that is.
    private func limited(
        _ changes: UnsafeBufferPointer<Change>, where isMeant: (DurableOptions.WhenFull) -> Bool
    ) -> [(name: LimitedName, more: LogTail)] {
        let table = interests.table
        var found: [(name: LimitedName, more: LogTail)] = []
        var places = [Int](repeating: -1, count: table.limited.count)
        for change in changes {
            table.forEach(in: change.identifier) { position in
                for index in table.limits(position) where isMeant(table.limited[index].whenFull) {
                    let name = table.limited[index]
                    // Another topic may have the same hash.
                    if let identifier = change.identifier, !name.topic.covers(identifier.bytes) { continue }
                    if places[index] < 0 {
                        places[index] = found.count
                        found.append((name, LogTail()))
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
        try transaction.dropOldest(of: name, most: name.most(limits), boot: boot)
    }
}

extension LimitedName {
    fileprivate func limitText(_ most: LogTail) -> String { "\(most.index) messages, \(most.total) bytes" }
}

extension StoreTransaction {
    /// How much waits to be handed out for the first time, when a durable name of a topic has taken so much of it.
    fileprivate func backlog(_ topic: Topic, taken: LogTail) throws(CrosstieError) -> LogTail {
        try logged(topic, try meta()).since(taken)
    }

    func cursorRecord(_ key: CursorKey) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        try key.bytes.withBytes { bytes throws(CrosstieError) in try get(StoreKey.cursor, bytes) }
    }

    /// Drops what was kept for a name alone, when others had to do without.
    fileprivate func dropUnprotected(_ key: CursorKey, boot: UInt64) throws(CrosstieError) {
        let end = try meta().dropped
        guard var cursor = try cursor(key, boot: boot), cursor.next < end else { return }
        try scanLog(after: cursor.next) { sequence, record in
            guard sequence <= end else { return .stop }
            if let record, key.topic.covers(record) { cursor.drop(sequence, size: record.payload.count) }
            return .next
        }
        try put(cursor, key, boot: boot)
    }

    fileprivate func dropOldest(
        of name: LimitedName, most: LogTail, boot: UInt64
    ) throws(CrosstieError) {
        guard let record = try cursorRecord(name.key), let taken = CursorState.taken(record) else { return }
        var backlog = try backlog(name.topic, taken: taken)
        // A cursor that cannot be read needs nothing.
        guard backlog.exceeds(most), var cursor = try? CursorState(record, boot: boot) else { return }
        try scanLog(after: cursor.next) { _, record in
            guard backlog.exceeds(most) else { return .stop }
            guard let record, name.topic.covers(record) else { return .next }
            cursor.drop(record.stamp.sequence, size: record.payload.count)
            backlog.index &-= min(backlog.index, 1)
            backlog.total &-= min(backlog.total, UInt64(clamping: record.payload.count))
            return .next
        }
        // Damage may have spoilt the counts: there is nothing left.
        if backlog.exceeds(most) { cursor.tally.taken.add(backlog) }
        try put(cursor, name.key, boot: boot)
    }
}
