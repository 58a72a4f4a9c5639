internal import CPlatform
internal import Glibc
import Synchronization

/// The writers' lock wakes one waiter, but a process that writes without pause takes the lock again before that one
/// runs. A process that has waited for a millisecond therefore sets a flag, and the others hold back until it has had
/// its turn. Strict hand-off would be ten times slower; this costs a moment in each millisecond in which a process
/// waits.
extension Wakeups {
    private static var patience: UInt64 { 1_000_000 }
    /// One that has died, or is stopped, holds the others up for so long, once.
    private static var urgency: UInt64 { 3_000_000 }
    /// As long as a short step takes.
    private static var moment: UInt64 { 20_000 }

    /// The time until which a waiting process goes first; 0 for none.
    @inline(__always)
    private var urgent: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.urgentOffset) }

    /// Locks out the other writers, as `cp_robust_lock` does.
    @inline(__always)
    func lockWriters(timeout: UInt64) -> Int32 {
        if urgent.pointee.load(ordering: .relaxed) != 0 { giveWay(timeout) }
        let result = cp_robust_try(writerLock)
        return result == EBUSY ? awaitTurn(timeout) : result
    }

    @inline(never)
    private func giveWay(_ timeout: UInt64) {
        let start = Clock.now()
        let seen = urgent.pointee.load(ordering: .relaxed)
        var now = start
        // Shared memory may contain any value.
        while now < seen, now &- start < min(Wakeups.urgency, timeout) {
            Clock.sleep(nanoseconds: 50_000)
            guard urgent.pointee.load(ordering: .relaxed) == seen else { return }
            now = Clock.now()
        }
        _ = urgent.pointee.compareExchange(expected: seen, desired: 0, ordering: .relaxed)
    }

    /// Watches the lock for a moment: most holders give it back sooner than a sleeping thread could be woken. Nil if
    /// it was not to be had.
    private func spin() -> Int32? {
        let end = Clock.now() &+ Wakeups.moment
        repeat {
            for _ in 0..<8 { cp_relax() }
            // A process that has waited for long is not overtaken.
            if urgent.pointee.load(ordering: .relaxed) != 0 { return nil }
            if cp_robust_load(writerLock) & UInt32(FUTEX_TID_MASK) != 0 { continue }
            let result = cp_robust_try(writerLock)
            if result != EBUSY { return result }
        } while Clock.now() < end
        return nil
    }

    @inline(never)
    private func awaitTurn(_ timeout: UInt64) -> Int32 {
        // The call on a host's transport may have taken some of it.
        let timeout = ThreadSlot.current.left(of: timeout)
        if timeout > 0, let result = spin() { return result }
        let start = Clock.now()
        var result = cp_robust_lock(writerLock, min(timeout, Wakeups.patience))
        var claim: UInt64 = 0
        while result == ETIMEDOUT {
            let now = Clock.now()
            let waited = now &- start
            guard waited < timeout else { break }
            if urgent.pointee.load(ordering: .relaxed) == claim {
                let fresh = now &+ Wakeups.urgency
                let before = claim
                claim =
                    urgent.pointee.compareExchange(expected: before, desired: fresh, ordering: .relaxed).exchanged
                    ? fresh : 0
            }
            result = cp_robust_lock(writerLock, min(timeout &- waited, Wakeups.patience))
        }
        if claim != 0 { _ = urgent.pointee.compareExchange(expected: claim, desired: 0, ordering: .relaxed) }
        return result
    }
}
