internal import Glibc
import Synchronization

/// A lock and the condition that something it guards has changed.
struct Monitor {
    private let lock = Lock()
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)

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

    /// Does nothing in a forked child, where threads that are gone may seem to wait.
    func free() {
        guard forkCount == ProcessState.current.pointee.forkCount.load(ordering: .relaxed) else { return }
        pthread_cond_destroy(condition)
        condition.deallocate()
        lock.free()
    }
}
