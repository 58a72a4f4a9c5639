/// Destroying: the change comes first, as short as any other, and then the messages queued before it are removed, in steps
/// between which others write. A listener that gets some of them meanwhile gets them before the change, in order. When
/// it is over nothing of it is left.
extension Group {
    /// Destroys the current message of an identifier and its queued ones, or everything.
    @inline(never)
    func destroy(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) -> Receipt {
        let time = Clock.now() &+ timeout
        let identifier = changes[0].identifier
        if identifier == nil {
            // One step drops all that is stored, and takes as long as there is much of it.
            var purge = Purge(of: nil, before: try sequence() &+ 1)
            try remove(&purge, until: time) { () throws(CrosstieError) in try isLogLong() }
        }
        let receipt = try writeMakingRoom(changes, from: sender, until: time)
        if identifier != nil {
            var purge = Purge(of: identifier, before: receipt.sequence)
            try remove(&purge, until: time)
        }
        return receipt
    }

    /// Makes the change. In a full store, the records to be destroyed are removed first, a few at a time. Removing all
    /// at once would write more pages than are left, or a list of freed pages that does not fit in one piece.
    private func writeMakingRoom(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, until time: UInt64
    ) throws(CrosstieError) -> Receipt {
        do throws(CrosstieError) {
            return try writeSeldom(changes, from: sender, timeout: time &- min(Clock.now(), time))
        } catch {
            guard error.isForRoom else { throw error }
            var purge = Purge(of: changes[0].identifier, before: try sequence() &+ 1, limit: Purge.smallestLimit)
            try remove(&purge, until: time)
            if changes[0].identifier == nil { try removeMessages(until: time, &purge.removedCount) }
            guard purge.removedCount > 0 else { throw error }
        }
        return try writeSeldom(changes, from: sender, timeout: try left(until: time))
    }

    private func left(until time: UInt64) throws(CrosstieError) -> UInt64 {
        let now = Clock.now()
        guard now < time else { throw CrosstieError(.timedOut, "there is too much to be destroyed in time") }
        return time &- now
    }

    /// Removes queued messages, in steps, as long as a condition holds.
    func remove(
        _ purge: inout Purge, until time: UInt64, while goesOn: () throws(CrosstieError) -> Bool = { true }
    ) throws(CrosstieError) {
        while !purge.isOver, try goesOn() {
            if purge.blocks.isEmpty { try look(&purge) }
            guard !purge.blocks.isEmpty else { continue }
            do throws(CrosstieError) {
                try removeSome(&purge, timeout: try left(until: time))
            } catch {
                guard error.isForRoom, purge.limit > Purge.smallestLimit else { throw error }
                purge.limit = Purge.smallestLimit
            }
        }
    }

    /// Whether the log holds more than is dropped in one step: each message is looked at for the durable consumers that miss
    /// it, and each page is noted as free.
    private func isLogLong() throws(CrosstieError) -> Bool {
        try read { snapshot throws(CrosstieError) in
            let (tail, removed) = (try snapshot.logTail(), try snapshot.meta().removed)
            return tail.index > removed.index &+ 4096 || tail.total > removed.total &+ (8 << 20)
        }
    }

    private func look(_ purge: inout Purge) throws(CrosstieError) {
        let before = purge
        // Messages queued by other machines are not known here.
        let wakeups = hostMembers == nil ? self.wakeups : nil
        purge = try read { snapshot throws(CrosstieError) in
            var draft = before
            try draft.look(snapshot, wakeups)
            return draft
        }
    }

    private func removeSome(_ purge: inout Purge, timeout: UInt64) throws(CrosstieError) {
        let before = purge
        var after = before
        try transact(timeout: timeout) { transaction, next throws(CrosstieError) in
            after = before
            try interests.refresh(transaction, wakeups)
            if !interests.table.isEmpty { try countLogged(upTo: next &- 1, in: transaction) }
            var losses = try PurgeLosses(transaction, knownConsumers, boot: boot, of: before.identifier)
            try after.removeSome(from: transaction, &losses)
            try losses.store(upTo: before.end &- 1, in: transaction, boot: boot)
        }
        purge = after
    }

    /// Removes the current messages of identifiers, a few in each step.
    private func removeMessages(until time: UInt64, _ count: inout Int) throws(CrosstieError) {
        var hasMore = true
        while hasMore {
            var removed = 0
            try transact(timeout: try left(until: time)) { transaction, _ throws(CrosstieError) in
                removed = 0
                hasMore = false
                try transaction.scan(StoreKey.current) { _, _ in
                    hasMore = removed == 256
                    if hasMore { return .stop }
                    removed += 1
                    return .remove
                }
            }
            count += removed
        }
    }

    /// Counts all queued messages before a change that destroys everything, after a number.
    func countBeforeDestroying(
        upTo newest: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        if !interests.table.isEmpty { try countLogged(upTo: newest, in: transaction) }
        try missEverything(upTo: newest, in: transaction)
    }
}

extension CrosstieError {
    /// Whether there was no room in the store, for whatever reason.
    var isForRoom: Bool { status == .noSpace || status == .busy }
}
