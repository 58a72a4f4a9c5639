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
        var transaction = try store.beginWriting()
        let sequence = transaction.sequence
        try body(transaction)
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
}
