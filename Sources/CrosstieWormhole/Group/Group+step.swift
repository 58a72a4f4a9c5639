extension Group {
    /// A step that is committed, with the intent lock held that shall see its listeners woken.
    struct Step {
        let number: UInt64
        let first: UInt64
        let wakeLock: UnsafeMutableRawPointer
    }
}

/// The parts of every step, apart from what it writes; not repeated in the code of each.
extension Group {
    /// The number that the first message of a transaction gets. The bells know the last one, unless whoever should
    /// have noted it there has died.
    @inline(never)
    func firstSequence(of transaction: borrowing StoreTransaction) throws(CrosstieError) -> UInt64 {
        let before = transaction.number &- 1
        if wakeups.lastTransaction.pointee.load(ordering: .relaxed) == before {
            return wakeups.lastSequence.pointee.load(ordering: .relaxed) &+ 1
        }
        if let hostMembers { try adopt(hostMembers, from: transaction) }
        let first = try transaction.meta().sequence(ofState: before) &+ 1
        wakeups.beginTrail(with: first)
        hasFoundGap = hostMembers == nil
        return first
    }

    /// Throws when there is no room for a step, also not where everybody has heard what is queued.
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
            // What one step has freed can be used by the next but one.
            try makeEmptyStep(timeout: timeout)
            try store.requireRoom(for: size)
        }
    }

    /// Commits what a step has written, with `count` numbers from `first` on.
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

    /// Whether a step may be made once more that found no room. The store grows; and since whoever reads somewhere
    /// keeps pages from being used again, so that a store with room can seem full, such a one is waited for 30 ms, and
    /// what a dead one holds is freed.
    @inline(never)
    func mayTryAgain(after error: CrosstieError, _ room: Int?, _ attempts: inout Int, _ timeout: UInt64) -> Bool {
        guard error.status == .noSpace, attempts > 0 else { return false }
        if (try? dropFreeExtents(for: room ?? 0, timeout: timeout)) == true { return true }
        if (try? store.grow(for: UInt64(clamping: room ?? 0))) == true { return true }
        attempts -= 1
        // There may be room in pieces alone: what nobody needs makes some more.
        if limits.retains, (try? trimForRoom(timeout: timeout)) == true {
            try? makeEmptyStep(timeout: timeout)
            return true
        }
        store.clearDeadReaders()
        if store.isReadBehind {
            Clock.sleep(nanoseconds: 500_000)
            return true
        }
        // What the last step has freed can be used by the next but one.
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
        // What one step has freed can be used by the next but one.
        try makeEmptyStep(timeout: timeout)
        return true
    }

    /// So often a step is made that finds no room.
    static var mostAttempts: Int { 60 }

    /// Why there was no room for a step: somebody may keep it who does not go on.
    @inline(never)
    func explained(_ error: CrosstieError, _ room: Int?) -> CrosstieError {
        error.status == .noSpace ? store.hindrance(for: room ?? 0) ?? error : error
    }

    /// Notes a step, and rings those who listen. Gives whether the writers' lock has been given back.
    @inline(never)
    func announce(_ step: Step, _ count: Int, to notified: MemberMask) -> Bool {
        defer { leaveWakeLock(step.wakeLock) }
        wakeups.note(transaction: step.number, lastSequence: step.first &+ UInt64(count) &- 1)
        let sleepers = wakeups.notify(hasFoundGap ? everybodyAfterGap() : notified)
        let isFirst = step.wakeLock == wakeups.wakeLocks.0
        // Whom this wakes may run at once, in place of this thread, and write.
        if isFirst { unlockWriters() }
        wakeups.wake(sleepers)
        return isFirst
    }

    /// Who waits for what a dead writer has not announced shall look into the store.
    @inline(never)
    private func everybodyAfterGap() -> MemberMask {
        hasFoundGap = false
        return wakeups.everybody
    }
}
