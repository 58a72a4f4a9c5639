/// Sending, signaling and destroying: their changes to the store.
extension Group {
    /// Makes changes in one step, all or none, in their order, and notifies the listeners.
    func write(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        // A batch holds none.
        if changes.count == 1, changes[0].makesRoom {
            defer { wakeups.notifyRoom() }
            return try destroy(changes, from: sender, timeout: timeout)
        }
        do throws(CrosstieError) {
            return try writeTogether(changes, from: sender, timeout: timeout)
        } catch {
            guard error.isForRoom else { throw error }
            return try writeGathering(changes, from: sender, timeout: timeout, after: error)
        }
    }

    @inline(__always)
    func writeTogether(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        if let combined { return try write(changes, from: sender, timeout: timeout, with: combined) }
        return try writeAlone(changes, from: sender, timeout: timeout)
    }

    /// The same where it is done seldom: not repeated in the code of each.
    @inline(never)
    func writeSeldom(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        if let combined { return try write(changes, from: sender, timeout: timeout, with: combined) }
        return try writeAloneSeldom(changes, from: sender, timeout: timeout)
    }

    /// Likewise, and not together with what other threads pass.
    @inline(never)
    func writeAloneSeldom(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        try writeAlone(changes, from: sender, timeout: timeout)
    }

    @inline(__always)
    func writeAlone(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        let newest = NewestChanges(changes)
        return try transact(
            count: changes.count, timeout: timeout, room: room(for: changes, sender),
            identifier: { changes[$0].identifier }, listeners: { listeners(of: changes, newest) }
        ) { transaction, first throws(CrosstieError) in
            try apply(changes, newest, from: sender, first, to: transaction)
        }
    }

    /// Writes changes, of which the first has a number, into a transaction.
    @inline(never)
    func apply(
        _ changes: UnsafeBufferPointer<Change>, _ newest: NewestChanges, from sender: Sender, _ first: UInt64,
        to transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        var stamp = sender.stamp(first)
        try interests.refresh(transaction, wakeups)
        let hasLimits = interests.table.hasLimits
        if hasLimits, sender.keepsLimits { try checkLimits(changes, after: first &- 1, in: transaction) }
        queuedCounts.follow(interests.table, with: first)
        var log = logWriter(changes, stamp, name: sender.name, before: transaction)
        for index in changes.indices {
            let change = changes[index]
            if change.makesRoom, change.identifier == nil {
                try log?.flush(transaction)
                try countBeforeDestroying(upTo: stamp.sequence &- 1, in: transaction)
            }
            if newest.contains(index) { try transaction.apply(change, stamp, name: sender.name) }
            try log?.add(index, to: transaction)
            if change.isTagged { try noteExpiry(of: change, isQueued: log != nil, in: transaction) }
            stamp.sequence &+= 1
        }
        queuedCounts.finish(at: stamp.sequence &- 1)
        guard let (before, tail) = try log?.finish(transaction) else { return }
        knownTail = (transaction.number, tail)
        if hasLimits { try dropBeyondLimits(changes, upTo: stamp.sequence &- 1, in: transaction) }
        try trimIfDue(transaction, from: before, to: tail, newest: stamp.sequence &- 1)
    }

    /// The queueing changes, of which the first has a stamp; nil if no queue needs any.
    @inline(__always)
    private func logWriter(
        _ changes: UnsafeBufferPointer<Change>, _ first: Stamp, name: [UInt8],
        before transaction: borrowing StoreTransaction
    ) -> LogWriter? {
        guard !interests.table.isEmpty || limits.retains else { return nil }
        var tail: LogTail?
        if let knownTail, knownTail.transaction &+ 1 == transaction.number, hostMembers == nil { tail = knownTail.tail }
        return LogWriter(
            interests.table, queuedCounts, wakeups, changes, first, name: name, tail: tail, isRetaining: limits.retains)
    }

    /// The bytes that changes add; nil if they only make room. A message may be stored twice: as the current one and in
    /// the queue.
    @inline(__always)
    func room(for changes: UnsafeBufferPointer<Change>, _ sender: Sender) -> Int? {
        var total: Int?
        for change in changes where !change.makesRoom {
            total = (total ?? 0) &+ 2 &* (StateRecord.size(name: sender.name.count, payload: change.size) &+ 64)
        }
        return total
    }

    @inline(__always)
    func listeners(of changes: UnsafeBufferPointer<Change>, _ newest: NewestChanges) -> MemberMask {
        var mask = MemberMask()
        for index in changes.indices where newest.contains(index) {
            guard let identifier = changes[index].identifier else { return wakeups.everybody }
            mask.formUnion(wakeups.listeners(of: identifier))
        }
        return mask
    }

    /// The number of living processes that a change has notified. A process with several wormholes counts once.
    func countProcesses(_ notified: MemberMask) -> UInt32 {
        var processes: [ProcessIdentity] = []
        notified.forEach { slot in
            let process = wakeups.process(slot)
            if !processes.contains(process), process == self.process || wakeups.isAlive(slot) {
                processes.append(process)
            }
        }
        return UInt32(clamping: processes.count)
    }
}

extension StoreTransaction {
    /// Writes one change into the current records.
    @inline(__always)
    fileprivate func apply(_ change: Change, _ stamp: Stamp, name: [UInt8]) throws(CrosstieError) {
        guard let identifier = change.identifier else { return try destroyEverything(stamp) }
        switch change.kind {
        case .value: try put(change, StoreKey.current, identifier, stamp, name)
        case .signal:
            try put(change, StoreKey.signal, identifier, stamp, name)
            try edit { meta throws(CrosstieError) in meta.lastSignal = stamp.sequence }
        default:
            try remove(StoreKey.signal, identifier.bytes)
            try put(change, StoreKey.current, identifier, stamp, name)
            try addTombstone(identifier, stamp.sequence)
        }
    }

    @inline(__always)
    private func put(
        _ change: Change, _ type: UInt8, _ identifier: Identifier, _ stamp: Stamp, _ name: [UInt8]
    ) throws(CrosstieError) {
        let size = StateRecord.size(name: name.count, payload: change.size)
        let room = try reserve(type, identifier.bytes, size: size)
        change.encode(into: name.withUnsafeBytes { StateRecord.write(change.kindByte, stamp, name: $0, into: room) })
    }

    /// Removes every current and queued message, but not the interests.
    private func destroyEverything(_ stamp: Stamp) throws(CrosstieError) {
        var meta = try meta()
        var kept: [(key: [UInt8], record: [UInt8])] = []
        for type in [StoreKey.interest, StoreKey.cursor, StoreKey.declared, StoreKey.listening, StoreKey.member] {
            try keep(type, in: &kept)
        }
        // The token of each member's newest step, where a host's transport keeps the records.
        if records is HostTransaction { try keep(StoreKey.token, in: &kept) }
        for index in kept.indices where kept[index].key.first == StoreKey.cursor {
            CursorState.forgetWaiting(in: &kept[index].record)
        }
        try records.removeEverything()
        for (key, record) in kept {
            try key.withBytes { key throws(CrosstieError) in
                try records.reserve(key, size: record.count, isLast: false).copyBytes(from: record)
            }
        }
        meta.destroyedAll = stamp
        meta.tombstones = 0
        try put(meta)
    }

    private func keep(_ type: UInt8, in kept: inout [(key: [UInt8], record: [UInt8])]) throws(CrosstieError) {
        try scan(type) { name, record throws(CrosstieError) in
            kept.append(([type] + name, Array(record)))
            return .next
        }
    }
}
