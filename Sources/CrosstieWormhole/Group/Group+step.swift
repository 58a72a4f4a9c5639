extension Group {
    /// A committed step. It holds a wake lock until its listeners are awake.
    struct Step {
        let number: UInt64
        let first: UInt64
        let wakeLock: UnsafeMutableRawPointer
    }
}

/// The parts of every step, apart from what it writes; not repeated in the code of each.
extension Group {
    /// The number of a transaction's first message. The wakeups know the last one, unless the writer that should have
    /// noted it has died.
    @inline(never)
    func firstSequence(of transaction: borrowing StoreTransaction) throws(CrosstieError) -> UInt64 {
        let before = transaction.number &- 1
        if wakeups.lastTransaction.pointee.load(ordering: .relaxed) == before {
            return wakeups.lastSequence.pointee.load(ordering: .relaxed) &+ 1
        }
        if let hostMembers { try adopt(hostMembers, from: transaction) }
        let first = try transaction.meta().sequence(ofState: before) &+ 1
        wakeups.beginPrefixNotes(with: first)
        hasFoundGap = hostMembers == nil
        return first
    }

    /// Throws if there is no room for a step, even after removing queued messages that every consumer has received.
    @inline(__always)
    func requireRoom(for size: Int, timeout: UInt64) throws(CrosstieError) {
        do throws(CrosstieError) {
            try store.requireRoom(for: size)
        } catch {
            guard error.status == .noSpace else { throw error }
            while try dropFreeExtents(for: size, timeout: timeout) {
                if (try? store.requireRoom(for: size)) != nil { return }
            }
            guard try trimForRoom(timeout: timeout) else { throw error }
            if (try? store.requireRoom(for: size)) != nil { return }
            // The step after the next can reuse the pages that a step has freed.
            try makeEmptyStep(timeout: timeout)
            try store.requireRoom(for: size)
        }
    }

    /// Commits a step, with `count` numbers from `first` on.
    @inline(never)
    func commit(
        _ written: consuming StoreTransaction, _ count: Int, _ first: UInt64, _ timeout: UInt64
    ) throws(CrosstieError) -> Step {
        var transaction = written
        if count != 1 {
            try transaction.edit { meta throws(CrosstieError) in meta.offset = meta.offset &+ UInt64(count) &- 1 }
        }
        try hostMembers?.publish(in: transaction)
        let number = transaction.number
        let wakeLock = try enterWakeLock(timeout: timeout)
        do throws(CrosstieError) {
            try transaction.commit()
        } catch {
            leaveWakeLock(wakeLock)
            throw error
        }
        hostMembers?.didCommit()
        queuedCounts.commit()
        return Step(number: number, first: first, wakeLock: wakeLock)
    }

    /// Whether to repeat a step that found no room. The store grows. A reader keeps freed pages from being reused, so
    /// that a store with room can seem full. Such a reader is waited for up to 30 ms, and pages that a dead reader
    /// holds are freed.
    @inline(never)
    func mayTryAgain(after error: CrosstieError, _ room: Int?, _ attempts: inout Int, _ timeout: UInt64) -> Bool {
        guard error.status == .noSpace, attempts > 0 else { return false }
        if (try? dropFreeExtents(for: room ?? 0, timeout: timeout)) == true { return true }
        if (try? store.grow(for: UInt64(clamping: room ?? 0))) == true { return true }
        attempts -= 1
        // The free pages may not be contiguous: removing unneeded messages frees more.
        if limits.retains, (try? trimForRoom(timeout: timeout)) == true {
            try? makeEmptyStep(timeout: timeout)
            return true
        }
        store.clearDeadReaders()
        if store.isReadBehind {
            Clock.sleep(nanoseconds: 500_000)
            return true
        }
        // The step after the next can reuse the pages that the last step has freed.
        guard attempts > Group.mostAttempts - 3 else { return false }
        try? makeEmptyStep(timeout: timeout)
        return true
    }

    /// Has extents that large records have left become single pages again, which the step after this can use. The writers'
    /// lock is held. False if there are none.
    @inline(never)
    private func dropFreeExtents(for size: Int, timeout: UInt64) throws(CrosstieError) -> Bool {
        let transaction = try store.writing()
        let first = try firstSequence(of: transaction)
        guard try transaction.records.dropFreeExtents(pages: store.pagesToDrop(for: size)) > 0 else { return false }
        try end(transaction, first, timeout)
        // The step after the next can reuse the pages that a step has freed.
        try makeEmptyStep(timeout: timeout)
        return true
    }

    /// So often a step is made that finds no room.
    static var mostAttempts: Int { 60 }

    /// The reason for the lack of room for a step: a stopped reader may keep it.
    @inline(never)
    func explained(_ error: CrosstieError, _ room: Int?) -> CrosstieError {
        error.status == .noSpace ? store.hindrance(for: room ?? 0) ?? error : error
    }

    /// Records a step, and notifies its listeners. Returns whether the writers' lock has been released.
    @inline(never)
    func announce(_ step: Step, _ count: Int, to notified: MemberMask) -> Bool {
        defer { leaveWakeLock(step.wakeLock) }
        wakeups.note(transaction: step.number, lastSequence: step.first &+ UInt64(count) &- 1)
        let sleepers = wakeups.notify(hasFoundGap ? everybodyAfterGap() : notified)
        let isFirst = step.wakeLock == wakeups.wakeLocks.0
        // A thread woken here may run at once, in place of this one, and write.
        if isFirst { unlockWriters() }
        wakeups.wake(sleepers)
        return isFirst
    }

    /// Notifies listeners that wait for the announcement of a dead writer: they look into the store.
    @inline(never)
    private func everybodyAfterGap() -> MemberMask {
        hasFoundGap = false
        return wakeups.everybody
    }
}
