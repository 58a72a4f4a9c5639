internal import CPlatform
internal import Glibc

/// The watcher: a thread that ends requests at their deadlines and lets the number of workers grow.
extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// With the lock held: makes sure that the watcher wakes by then. False when it cannot be started.
    @discardableResult
    func wakeWatcher(by deadline: UInt64) -> Bool {
        if pointee.hasWatcher { pointee.watch.signal() } else { startWatcher() }
        if pointee.hasWatcher { pointee.watchUntil = deadline }
        return pointee.hasWatcher
    }

    private func startWatcher() {
        var thread = pthread_t()
        let failure = LibraryThread.start(&thread, self) { raw in
            raw?.assumingMemoryBound(to: WorkerPool.self).watch()
            return nil
        }
        pointee.hasWatcher = failure == 0
    }

    private func watch() {
        LibraryThread.begin("crosstie")
        pointee.lock.lock()
        var idleSince: UInt64?
        while !pointee.isStopping {
            let now = Clock.now()
            if pointee.growth.next <= now { grow(now) }
            var due = pointee.wheel.takeDue(now)
            if !due.isEmpty {
                pointee.lock.unlock()
                due.end(.timedOut)
                pointee.lock.lock()
                continue
            }
            pointee.watchUntil = min(pointee.wheel.nearest, pointee.growth.next)
            guard pointee.watchUntil == Clock.never else {
                idleSince = nil
                _ = LibraryThread.rest { pointee.watch.wait(pointee.lock, until: pointee.watchUntil) }
                continue
            }
            let end = (idleSince ?? now) &+ idleNanoseconds
            idleSince = idleSince ?? now
            if now >= end { break }
            // It wakes then by itself: a request with a later deadline need not wake it.
            pointee.watchUntil = end
            _ = LibraryThread.rest { pointee.watch.wait(pointee.lock, until: end) }
        }
        pointee.hasWatcher = false
        pointee.watchUntil = Clock.never
        let before = leaveLast()
        pointee.lock.unlock()
        if let before { pthread_join(before, nil) }
    }
}
