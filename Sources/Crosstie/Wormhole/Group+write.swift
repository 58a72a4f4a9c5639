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
    package let sequence: UInt64
    let rung: SlotMask
}

extension Group {
    /// Locks out every other writer of the group, in all processes. What a writer that died has left is healed.
    @inline(__always)
    func lockWriters(timeout: UInt64) throws(CrosstieError) {
        let result = cp_robust_lock(bells.writerLock, timeout)
        if result != 0 { try healWriters(result) }
    }

    @inline(__always)
    func unlockWriters() { cp_robust_unlock(bells.writerLock) }

    @inline(never)
    private func healWriters(_ result: Int32) throws(CrosstieError) {
        switch result {
        case EOWNERDEAD:
            // It may have committed and not rung.
            bells.reapSlots(own: ownSlots)
            bells.ringForTheDead()
        case ETIMEDOUT:
            throw CrosstieError(.timeout, "another process has been holding the group for too long")
        default:
            throw CrosstieError(.corrupt, "the group's lock: \(String(cString: strerror(result)))")
        }
    }

    /// Makes one change: under the writer's lock, in one transaction, with a new sequence number. Then rings
    /// those who listen, who are found by `hash` and `listeners`.
    @inline(__always)
    func change(
        hash: UInt64, timeout: UInt64, listeners: () -> SlotMask, room: Int?,
        _ body: (borrowing StoreTransaction) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Receipt {
        try lockWriters(timeout: timeout)
        var isLocked = true
        defer { if isLocked { unlockWriters() } }
        if let room { try store.requireRoom(for: room) }
        var transaction = try written(body)
        let sequence = transaction.sequence
        let intent = try enterIntent(timeout: timeout)
        defer { leaveIntent(intent) }
        try transaction.commit()
        bells.note(sequence, hash: hash)
        let rung = listeners()
        let sleepers = bells.ring(rung)
        if intent == bells.intentLocks.0 {
            // Whom this wakes may run at once, in place of this thread, and write.
            unlockWriters()
            isLocked = false
        }
        bells.wake(sleepers)
        return Receipt(sequence: sequence, rung: rung)
    }

    /// A transaction with a change in it. Whoever reads somewhere keeps pages from being used again, so that a store
    /// with room can seem full; a reader is gone in a moment, and is waited for 30 ms.
    @inline(__always)
    private func written(
        _ body: (borrowing StoreTransaction) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> StoreTransaction {
        for _ in 0..<60 {
            let transaction = try store.beginWriting()
            do throws(CrosstieError) {
                try body(transaction)
                return transaction
            } catch {
                guard error.status == .noSpace else { throw error }
            }
            Clock.sleep(nanoseconds: 500_000)
        }
        let transaction = try store.beginWriting()
        try body(transaction)
        return transaction
    }
}
