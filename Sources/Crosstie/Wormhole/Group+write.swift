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
        let change = try commit(hash: hash, timeout: timeout, listeners: listeners, room: room, body)
        // With the writer's lock given back: whom this wakes may run at once, in place of this thread, and write.
        bells.wake(change.sleepers)
        leaveIntent(change.intent)
        return change.receipt
    }

    /// A change that has been committed, whose intent lock is held until the sleepers have been woken.
    private struct Committed {
        let receipt: Receipt
        let sleepers: SlotMask
        let intent: UnsafeMutableRawPointer
    }

    @inline(__always)
    private func commit(
        hash: UInt64, timeout: UInt64, listeners: () -> SlotMask, room: Int?,
        _ body: (borrowing StoreTransaction) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Committed {
        try lockWriters(timeout: timeout)
        defer { unlockWriters() }
        if let room { try store.requireRoom(for: room) }
        var transaction = try store.beginWriting()
        let sequence = transaction.sequence
        try body(transaction)
        let intent = try enterIntent(timeout: timeout)
        do throws(CrosstieError) {
            try transaction.commit()
        } catch {
            leaveIntent(intent)
            throw error
        }
        bells.note(sequence, hash: hash)
        let rung = listeners()
        return Committed(
            receipt: Receipt(sequence: sequence, rung: rung), sleepers: bells.ring(rung), intent: intent)
    }
}
