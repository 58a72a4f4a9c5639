internal import Glibc

/// A pthread mutex at a stable address. (`Synchronization.Mutex` around raw pointers measured slower.)
package struct Lock {
    let raw: UnsafeMutablePointer<pthread_mutex_t>

    init(_ raw: UnsafeMutablePointer<pthread_mutex_t>) { self.raw = raw }

    package init() {
        raw = .allocate(capacity: 1)
        raw.initialize(to: pthread_mutex_t())
        pthread_mutex_init(raw, nil)
    }

    /// Makes a lock that several threads hold for moments each: a thread that finds it taken spins before it sleeps.
    package init(spinning: Bool) {
        raw = .allocate(capacity: 1)
        raw.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        if spinning { pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP)) }
        pthread_mutex_init(raw, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    package func lock() { pthread_mutex_lock(raw) }

    package func unlock() { pthread_mutex_unlock(raw) }

    // CrosstieWormhole has its own copy, which is specialized there.
    @_disfavoredOverload
    package func with<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Initializes the mutex again in a forked child, where its owner may not exist.
    func reset() { pthread_mutex_init(raw, nil) }

    package func free() {
        pthread_mutex_destroy(raw)
        raw.deallocate()
    }
}
