internal import CPlatform
internal import Glibc

/// While a writer holds a wake lock, the kernel wakes a listener if the writer dies. Writers never sleep on one: the
/// wake that ends their sleep could reach a listener instead, which sleeps on the same word.
extension Group {
    /// Takes a wake lock, the first one if it is free. The writers' lock is held.
    @inline(__always)
    func enterWakeLock(timeout: UInt64) throws(CrosstieError) -> UnsafeMutableRawPointer {
        let locks = wakeups.wakeLocks
        if try take(locks.0) { return locks.0 }
        if try !take(locks.1) { try awaitWakeLock(locks.1, timeout) }
        return locks.1
    }

    @inline(__always)
    func leaveWakeLock(_ lock: UnsafeMutableRawPointer) {
        cp_robust_unwatch(lock)
        cp_robust_unlock(lock)
    }

    @inline(__always)
    private func take(_ lock: UnsafeMutableRawPointer) throws(CrosstieError) -> Bool {
        let result = cp_robust_try(lock)
        if result == EBUSY { return false }
        guard result == 0 || result == EOWNERDEAD else {
            throw CrosstieError(.corruptData, "the group's lock: \(String(cString: strerror(result)))")
        }
        cp_robust_watch(lock)
        if result == EOWNERDEAD { healWakeLock() }
        return true
    }

    @inline(never)
    private func healWakeLock() {
        wakeups.countDeath()
        wakeups.notifyForDeadWriter()
    }

    /// The second lock is released before the writers' lock, so only a dying process can have it, until the kernel has
    /// released it.
    @inline(never)
    private func awaitWakeLock(_ lock: UnsafeMutableRawPointer, _ timeout: UInt64) throws(CrosstieError) {
        let end = Clock.now() &+ timeout
        while try !take(lock) {
            guard Clock.now() < end else { throw .late("another process has been ending", timeout) }
            sched_yield()
        }
    }
}
