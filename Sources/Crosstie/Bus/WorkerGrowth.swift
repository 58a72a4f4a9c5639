internal import CPlatform

/// The decision when a pool gets another worker.
///
/// As many as there are cores that this process may use start at once. More are of use only while handlers block: a burst of
/// short ones, which would be done before a thread has started, would have its workers fight for the cores and the queue. So
/// further ones come from time to time while requests wait: all that may be missing if none was taken up meanwhile; else one,
/// if each takes long enough to have waited for something and there are cores to spare.
struct WorkerGrowth {
    /// When it is looked at again; never while enough workers are there.
    var next = Clock.never
    /// The number of requests that workers have taken.
    var taken: UInt64 = 0
    /// The number of workers that start at once.
    let eager: Int
    private var takenBefore: UInt64 = 0
    private var before: UInt64 = 0
    private var processorTimeBefore: UInt64 = 0

    init() { eager = max(1, Int(cp_usable_cores())) }

    /// Nanoseconds from one look to the next.
    private static var interval: UInt64 { 1_000_000 }

    /// A request that takes at most so many nanoseconds has hardly waited for anything.
    private static var short: UInt64 { 50_000 }

    /// Notes that it begins to be looked at.
    mutating func begin() {
        let now = Clock.now()
        next = now &+ Self.interval
        (takenBefore, before, processorTimeBefore) = (taken, now, Clock.processorTime())
    }

    /// The number of workers that are missing, `queued` at most.
    mutating func more(_ now: UInt64, threads: Int, queued: Int) -> Int {
        let processorTime = Clock.processorTime()
        defer {
            next = now &+ Self.interval
            (takenBefore, before, processorTimeBefore) = (taken, now, processorTime)
        }
        let (done, elapsed) = (taken &- takenBefore, now &- before)
        guard done > 0 else { return min(queued, threads) }
        let areShort = elapsed &* UInt64(threads) / done < Self.short
        let used = processorTime &- processorTimeBefore
        return !areShort && used < elapsed &* UInt64(eager) / 4 * 3 ? 1 : 0
    }

    mutating func end() { next = Clock.never }
}

/// With the lock held.
extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// Lets the watcher see whether there should be more workers. False when there is no watcher.
    func growLater() -> Bool {
        guard pointee.growth.next == Clock.never else { return true }
        pointee.growth.begin()
        if pointee.growth.next < pointee.watchUntil, !wakeWatcher(by: pointee.growth.next) { pointee.growth.end() }
        return pointee.growth.next != Clock.never
    }

    /// Starts workers if there should be more.
    func grow(_ now: UInt64) {
        let queued = pointee.queue.count
        guard queued > pointee.idlers.count, active < pointee.options.maximumWorkers, pointee.threads < hardMaximum
        else {
            return pointee.growth.end()
        }
        let room = min(pointee.options.maximumWorkers - active, hardMaximum - pointee.threads)
        let more = pointee.growth.more(now, threads: max(1, pointee.threads), queued: queued - pointee.idlers.count)
        for _ in 0..<min(more, room) { startWorker() }
    }
}
