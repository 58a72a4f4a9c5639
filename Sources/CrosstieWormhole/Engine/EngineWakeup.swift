import Synchronization

/// Wakes the thread of a wormhole with an engine.
final class EngineWakeup: @unchecked Sendable {
    private let monitor = Monitor()
    private let count = Atomic<UInt32>(0)

    deinit { monitor.free() }

    /// The mark for ``sleep(since:until:)``.
    var mark: UInt32 { count.load(ordering: .sequentiallyConsistent) }

    func nudge() {
        monitor.with {
            count.add(1, ordering: .sequentiallyConsistent)
            monitor.notifyAll()
        }
    }

    /// Sleeps until it is nudged, or `time`, by the clock of ``Clock/now()``; not at all if it has been nudged since.
    func sleep(since mark: UInt32, until time: UInt64) {
        LibraryThread.rest {
            monitor.with {
                while self.mark == mark, Clock.now() < time { monitor.wait(until: time) }
            }
        }
    }
}
