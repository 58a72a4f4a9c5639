internal import CPlatform
internal import Glibc

/// Who passes: what stands in the records.
struct Sender {
    let pid: Int32
    let name: [UInt8]

    func stamp(_ sequence: UInt64) -> Stamp { Stamp(sequence: sequence, time: WallClock.now(), pid: pid) }
}

/// What a change came to.
package struct Receipt {
    /// The number of its first message.
    package let sequence: UInt64
    let rung: SlotMask
}

extension Group {
    /// Locks out every other writer of the group, in all processes. What a writer that died has left is healed.
    @inline(__always)
    func lockWriters(timeout: UInt64) throws(CrosstieError) {
        let result = bells.lockWriters(timeout: timeout)
        if result != 0 { try healWriters(result) }
    }

    @inline(__always)
    func unlockWriters() { cp_robust_unlock(bells.writerLock) }

    @inline(never)
    private func healWriters(_ result: Int32) throws(CrosstieError) {
        switch result {
        case EOWNERDEAD:
            // It may have committed, in part, and not rung.
            store.withdrawUnannounced()
            bells.reapSlots(own: ownSlots)
            bells.ringForTheDead()
        case ETIMEDOUT:
            throw CrosstieError(.timeout, "another process has been holding the group for too long")
        default:
            throw CrosstieError(.corrupt, "the group's lock: \(String(cString: strerror(result)))")
        }
    }

    /// Makes one step of changes: under the writers' lock, in one transaction, which takes `count` new sequence numbers.
    /// Then rings those who listen.
    ///
    /// - Parameters:
    ///   - room: bytes that are added; nil for a step that makes room.
    ///   - hash: what the message of each index, from 0, touches.
    ///   - listeners: whom to ring, asked after the commit.
    ///   - body: writes, with the first of the numbers; once more from the beginning when there was no room, or when
    ///     somebody has changed the records meanwhile.
    @inline(__always)
    func transact(
        count: Int, timeout: UInt64, room: Int?, hash: (Int) -> UInt64, listeners: () -> SlotMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        try untilSettled(timeout: timeout) { () throws(CrosstieError) in
            try transactOnce(
                count: count, timeout: timeout, room: room, hash: hash, listeners: listeners, body)
        }
    }

    @inline(__always)
    private func transactOnce(
        count: Int, timeout: UInt64, room: Int?, hash: (Int) -> UInt64, listeners: () -> SlotMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        try lockWriters(timeout: timeout)
        return try transactLocked(
            count: count, timeout: timeout, room: room, hash: hash, listeners: listeners, body)
    }

    /// The same, with the writers' lock held; it is given back.
    @inline(__always)
    func transactLocked(
        count: Int, timeout: UInt64, room: Int?, hash: (Int) -> UInt64, listeners: () -> SlotMask,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        var isLocked = true
        defer { if isLocked { unlockWriters() } }
        if let room { try store.requireRoom(for: room) }
        let step = try committed(count, room, timeout, body)
        defer { leaveIntent(step.intent) }
        let first = step.first
        for index in 0..<count { bells.note(first &+ UInt64(index), hash: hash(index)) }
        bells.note(transaction: step.number, lastSequence: first &+ UInt64(count) &- 1)
        let rung = listeners()
        let sleepers = bells.ring(rung)
        if step.intent == bells.intentLocks.0 {
            // Whom this wakes may run at once, in place of this thread, and write.
            unlockWriters()
            isLocked = false
        }
        bells.wake(sleepers)
        return Receipt(sequence: first, rung: rung)
    }

    /// A step without a message, of which nobody is told. `body` gets the number that the next message will have.
    func transact(
        timeout: UInt64, room: Int? = nil, _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        _ = try transact(count: 0, timeout: timeout, room: room, hash: { _ in 0 }, listeners: { SlotMask() }, body)
    }

    /// A step that is committed, with the intent lock held that shall see its listeners woken.
    private struct Step {
        let number: UInt64
        let first: UInt64
        let intent: UnsafeMutableRawPointer
    }

    /// Writes and commits a step. When there turns out to be no room the store grows; and since whoever reads somewhere
    /// keeps pages from being used again, so that a store with room can seem full, such a one is waited for 30 ms, and
    /// what a dead one holds is freed.
    @inline(__always)
    private func committed(
        _ count: Int, _ room: Int?, _ timeout: UInt64,
        _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Step {
        var attempts = 60
        while true {
            do throws(CrosstieError) {
                return try commitOnce(count, timeout, body)
            } catch {
                guard error.status == .noSpace, attempts > 0 else { throw error }
            }
            attempts -= 1
            if (try? store.grow(for: UInt64(clamping: room ?? 0))) == true { continue }
            store.clearDeadReaders()
            Clock.sleep(nanoseconds: 500_000)
        }
    }

    @inline(__always)
    private func commitOnce(
        _ count: Int, _ timeout: UInt64, _ body: (borrowing StoreTransaction, UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Step {
        var transaction = try store.writing()
        let first = try firstSequence(of: transaction)
        try body(transaction, first)
        if count != 1 {
            try transaction.edit { meta throws(CrosstieError) in meta.offset = meta.offset &+ UInt64(count) &- 1 }
        }
        try openings?.publish(in: transaction)
        let number = transaction.number
        let intent = try enterIntent(timeout: timeout)
        do throws(CrosstieError) {
            try transaction.commit()
        } catch {
            leaveIntent(intent)
            throw error
        }
        openings?.didCommit()
        return Step(number: number, first: first, intent: intent)
    }

    /// The number that the first message of a transaction gets. The bells know the last one, unless whoever should
    /// have noted it there has died.
    @inline(__always)
    private func firstSequence(of transaction: borrowing StoreTransaction) throws(CrosstieError) -> UInt64 {
        let before = transaction.number &- 1
        if bells.lastTransaction.pointee.load(ordering: .relaxed) == before {
            return bells.lastSequence.pointee.load(ordering: .relaxed) &+ 1
        }
        if let openings { try adopt(openings, from: transaction) }
        return try transaction.meta().sequence(ofState: before) &+ 1
    }
}
