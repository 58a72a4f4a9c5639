internal import Glibc
import Synchronization

/// A lock and the condition that something it guards has changed.
struct Monitor {
    private let lock = Lock()
    private let condition = Condition()
    private let forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)

    func with<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try lock.with(body)
    }

    /// Releases the lock, which is held, until ``notifyAll()``, or a time by the clock of ``Clock/now()``.
    func wait(until time: UInt64 = Clock.never) { _ = condition.wait(lock, until: time) }

    /// The same for a thread that the host may not want to wait any longer: then false.
    func waitWanted() -> Bool { condition.waitWanted(lock) }

    func notifyAll() { condition.broadcast() }

    /// Does nothing in a forked child, where threads of the parent may seem to wait.
    func free() {
        guard forkCount == ProcessState.current.pointee.forkCount.load(ordering: .relaxed) else { return }
        condition.free()
        lock.free()
    }
}
