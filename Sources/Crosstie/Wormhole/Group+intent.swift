internal import CPlatform
internal import Glibc

/// While a writer holds an intent lock, the kernel wakes a listener if it dies. Writers never sleep for one:
/// the wake that ended their sleep could go to a listener, who sleeps on the same word.
extension Group {
    /// Takes a free intent lock. The writer's lock is held.
    @inline(__always)
    func enterIntent(timeout: UInt64) throws(CrosstieError) -> UnsafeMutableRawPointer {
        let locks = bells.intentLocks
        if try take(locks.0) { return locks.0 }
        if try take(locks.1) { return locks.1 }
        return try awaitIntent(timeout)
    }

    @inline(__always)
    func leaveIntent(_ lock: UnsafeMutableRawPointer) {
        cp_robust_unwatch(lock)
        cp_robust_unlock(lock)
    }

    @inline(__always)
    private func take(_ lock: UnsafeMutableRawPointer) throws(CrosstieError) -> Bool {
        let result = cp_robust_try(lock)
        if result == EBUSY { return false }
        guard result == 0 || result == EOWNERDEAD else {
            throw CrosstieError(.corrupt, "the group's lock: \(String(cString: strerror(result)))")
        }
        cp_robust_watch(lock)
        if result == EOWNERDEAD { healIntent() }
        return true
    }

    @inline(never)
    private func healIntent() {
        bells.countDeath()
        bells.ringForTheDead()
    }

    /// Both are held by writers that are waking others, or have been stopped while doing so.
    @inline(never)
    private func awaitIntent(_ timeout: UInt64) throws(CrosstieError) -> UnsafeMutableRawPointer {
        let locks = bells.intentLocks
        let end = Clock.now() &+ timeout
        sched_yield()
        repeat {
            if try take(locks.0) { return locks.0 }
            if try take(locks.1) { return locks.1 }
            usleep(50)
        } while Clock.now() < end
        throw CrosstieError(.timeout, "other processes have been holding the group for too long")
    }
}
