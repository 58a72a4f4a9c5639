internal import CPlatform
internal import Glibc

extension Group {
    /// Locks out every other writer of the group, in all processes. The unfinished work of a dead writer is completed.
    @inline(__always)
    func lockWriters(timeout: UInt64) throws(CrosstieError) {
        let wakeups = wakeups
        let result = wakeups.lockWriters(timeout: timeout)
        if result != 0 || wakeups.isMoved { try healWriters(result, of: wakeups, timeout: timeout) }
    }

    @inline(__always)
    func unlockWriters() { cp_robust_unlock(wakeups.writerLock) }

    @inline(never)
    private func healWriters(_ result: Int32, of wakeups: Wakeups, timeout: UInt64) throws(CrosstieError) {
        if result == 0 || result == EOWNERDEAD, wakeups.isMoved {
            cp_robust_unlock(wakeups.writerLock)
            try followMove(timeout: timeout)
            return try lockWriters(timeout: timeout)
        }
        switch result {
        case EOWNERDEAD:
            heal()
        case ETIMEDOUT:
            throw .late("another process has been holding the group", timeout)
        default:
            throw CrosstieError(.corruptData, "the group's lock: \(String(cString: strerror(result)))")
        }
    }

    /// After a writer has died: it may have committed a part, and notified nobody. The writers' lock is held.
    func heal() {
        store.withdrawUnannounced()
        wakeups.reapSlots(own: ownSlots)
        wakeups.notifyForDeadWriter()
    }

    /// Makes one step of changes: under the writers' lock, in one transaction, which takes `count` new sequence
    /// numbers. Then notifies the listeners.
    ///
    /// - Parameters:
    ///   - count: called after `body`, which may determine the number.
    ///   - room: bytes that are added; nil for a step that makes room.
    ///   - identifier: the identifier that the message of each index, from 0, changes; nil for everything.
    ///   - listeners: returns the members to notify, after the commit.
    ///   - body: writes, with the first of the numbers; repeated from the beginning if there was no room, or if another
    ///     process has changed the records meanwhile.
    @inline(__always)
    func transact(
        count: @autoclosure () -> Int, timeout: UInt64, room: Int?, identifier: (Int) -> Identifier?,
        listeners: () -> MemberMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        try untilReconciled(timeout: timeout) { () throws(CrosstieError) in
            try transactOnce(
                count: count(), timeout: timeout, room: room, identifier: identifier, listeners: listeners, body)
        }
    }

    @inline(__always)
    private func transactOnce(
        count: @autoclosure () -> Int, timeout: UInt64, room: Int?, identifier: (Int) -> Identifier?,
        listeners: () -> MemberMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        try lockWriters(timeout: timeout)
        return try transactLocked(
            count: count(), timeout: timeout, room: room, identifier: identifier, listeners: listeners, body)
    }

    /// The same, with the writers' lock held, which is released.
    @inline(__always)
    func transactLocked(
        count: @autoclosure () -> Int, timeout: UInt64, room: Int?, identifier: (Int) -> Identifier?,
        listeners: () -> MemberMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        var isLocked = true
        defer { if isLocked { unlockWriters() } }
        if let room { try requireRoom(for: room, timeout: timeout) }
        let step = try committed(count, room, timeout, body)
        let count = count()
        for index in 0..<count { wakeups.note(step.first &+ UInt64(index), identifier(index)) }
        let notified = listeners()
        isLocked = !announce(step, count, to: notified)
        return Receipt(sequence: step.first, notified: notified)
    }

    /// The same, for rare changes.
    @inline(never)
    func transactLockedSeldom(
        count: Int, timeout: UInt64, room: Int?, identifier: (Int) -> Identifier?, listeners: () -> MemberMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        try transactLocked(
            count: count, timeout: timeout, room: room, identifier: identifier, listeners: listeners, body)
    }

    /// A step without a message, of which no listener is notified. `body` gets the number that the next message will
    /// have.
    @inline(__always)
    func transact(
        timeout: UInt64, room: Int? = nil, _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        _ = try transactSeldom(
            count: 0, timeout: timeout, room: room, identifier: { _ in nil }, listeners: { MemberMask() }, body)
    }

    /// Any step that is made seldom: not repeated in the code of each.
    @inline(never)
    func transactSeldom(
        count: Int, timeout: UInt64, room: Int?, identifier: (Int) -> Identifier?, listeners: () -> MemberMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        try transact(
            count: count, timeout: timeout, room: room, identifier: identifier, listeners: listeners, body)
    }

    /// A transaction has been dropped, with all that is remembered of it.
    /// - Parameter known: the interests' version before.
    @inline(never)
    private func forgetStep(since known: UInt64) {
        knownTail = nil
        interests.forget(unlessOf: known)
        queuedCounts.withdraw()
        skippedMessages.forget()
        backlogBounds.forget()
    }

    /// Writes and commits a step, again when there was no room and now may be.
    @inline(__always)
    private func committed(
        _ count: () -> Int, _ room: Int?, _ timeout: UInt64,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Step {
        var attempts = Group.mostAttempts
        defer { isShortOfRoom = false }
        while true {
            let known = interests.version
            do throws(CrosstieError) {
                let transaction = try store.writing()
                let first = try firstSequence(of: transaction)
                try body(transaction, first)
                return try commit(transaction, count(), first, timeout)
            } catch {
                forgetStep(since: known)
                guard mayTryAgain(after: error, room, &attempts, timeout) else { throw explained(error, room) }
                isShortOfRoom = true
            }
        }
    }
}
