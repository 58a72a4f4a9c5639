import Synchronization

/// Wakes the thread of a wormhole with an engine.
final class EngineWakeup: @unchecked Sendable {
    private let lock = Lock()
    private let condition = Condition()
    private let count = Atomic<UInt32>(0)
    private let forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)

    /// In a forked child threads of the parent may seem to wait.
    deinit {
        guard forkCount == ProcessState.current.pointee.forkCount.load(ordering: .relaxed) else { return }
        condition.free()
        lock.free()
    }

    /// The mark for ``sleep(since:until:)``.
    var mark: UInt32 { count.load(ordering: .sequentiallyConsistent) }

    func nudge() {
        lock.with {
            count.add(1, ordering: .sequentiallyConsistent)
            condition.broadcast()
        }
    }

    /// Sleeps until it is nudged, or `time`, by the clock of ``Clock/now()``; not at all if it has been nudged since.
    func sleep(since mark: UInt32, until time: UInt64) {
        LibraryThread.rest {
            lock.with {
                while self.mark == mark, Clock.now() < time { _ = condition.wait(lock, until: time) }
            }
        }
    }
}
