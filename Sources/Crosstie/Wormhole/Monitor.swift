internal import Glibc

/// A lock and the condition that something it guards has changed.
struct Monitor {
    private let lock = Lock()
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    func with<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try lock.with(body)
    }

    /// Lets go of the lock, which is held, until ``tellAll()``.
    func wait() { pthread_cond_wait(condition, lock.raw) }

    func tellAll() { pthread_cond_broadcast(condition) }

    func free() {
        pthread_cond_destroy(condition)
        condition.deallocate()
        lock.free()
    }
}
