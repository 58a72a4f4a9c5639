internal import Glibc

/// A condition variable on the monotonic clock, at a stable address.
package struct Condition {
    private let raw: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        raw = .allocate(capacity: 1)
        raw.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(raw, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    package func signal() { pthread_cond_signal(raw) }

    package func broadcast() { pthread_cond_broadcast(raw) }

    /// Releases the lock, waits, and takes the lock again. Returns false if the deadline came first.
    package func wait(_ lock: Lock, until deadline: UInt64 = Clock.never) -> Bool {
        guard deadline != Clock.never else { return pthread_cond_wait(raw, lock.raw) == 0 }
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        return pthread_cond_timedwait(raw, lock.raw, &time) == 0
    }

    /// Waits for a while at least, as ``wait(_:until:)`` without a deadline. False when the host does not want this
    /// thread to wait any longer.
    package func waitWanted(_ lock: Lock) -> Bool {
        let slot = ThreadSlot.current
        guard let longest = slot.longestSleep else { return wait(lock) }
        if wait(lock, until: Clock.now() &+ longest) { return true }
        lock.unlock()
        defer { lock.lock() }
        return !slot.isWaitUnwanted()
    }

    package func free() {
        pthread_cond_destroy(raw)
        raw.deallocate()
    }
}
