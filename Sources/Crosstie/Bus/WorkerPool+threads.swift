internal import CPlatform
internal import Glibc

/// The workers.
extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// Waiting workers do not count toward the maximum, or a full pool would wait for itself; but there is an end.
    var hardMaximum: Int { pointee.options.maximumWorkers + 256 }

    /// Those that work or look for work.
    var active: Int { pointee.threads - pointee.waiting }

    /// With the lock held: makes sure that somebody will look at what is queued and at one more. False when there is
    /// no thread and none can be started.
    @inline(__always)
    func ensureWorker() -> Bool { pointee.idlers.count > pointee.queue.count || addWorker() }

    @inline(never)
    private func addWorker() -> Bool {
        guard active < pointee.options.maximumWorkers, pointee.threads < hardMaximum else { return true }
        if active < pointee.growth.eager || !growLater() { startWorker() }
        return pointee.threads > 0
    }

    /// With the lock held: when all workers are busy, a few more than the maximum complete what has ended.
    func helpOut() {
        guard pointee.idlers.count == 0, active < pointee.options.maximumWorkers + pointee.growth.eager,
            pointee.threads < hardMaximum
        else { return }
        startWorker()
    }

    func startWorker() {
        var thread = pthread_t()
        let failure = LibraryThread.start(&thread, self) { raw in
            raw?.assumingMemoryBound(to: WorkerPool.self).work()
            return nil
        }
        if failure == 0 { pointee.threads += 1 }
    }

    private func work() {
        cp_name_thread("crosstie")
        let slot = ThreadSlot.current
        slot.pointee.pool = self
        defer { slot.pointee.pool = nil }
        var left = WorkerPool.Attendance()
        while let work = next(after: left, slot) { left = WorkerPool.attend(work, slot) }
    }

    /// Leaves a request and takes the next one; nil when the thread shall end.
    private func next(
        after attendance: WorkerPool.Attendance, _ slot: UnsafeMutablePointer<ThreadSlot>
    ) -> WorkerPool.Work? {
        pointee.lock.lock()
        if attendance.hasFinished { pointee.unfinished &-= 1 }
        var left = attendance.left
        let isOpen = left.map(leave) ?? false
        if left != nil, isOpen || pointee.queue.count == 0 {
            // What it holds is not kept while the worker waits.
            pointee.lock.unlock()
            if isOpen { left?.end(.closed) }
            left?.dropAsCallback()
            left = nil
            pointee.lock.lock()
        }
        let next = waitForNext(slot)
        // Also one that ends passes on what it was called for.
        let helper = pointee.idlers.call(for: pointee.queue.count)
        let before = next == nil ? retire() : nil
        pointee.lock.unlock()
        helper?.wake()
        left?.dropAsCallback()
        // With no lock held: a host's thread may have much to do at its end.
        if let before { pthread_join(before, nil) }
        return next
    }

    /// With the lock held: notes that a worker is done with a request. True when the request is open still, which its
    /// bus is not.
    private func leave(_ block: RequestBlock.Pointer) -> Bool {
        guard block.pointee.isAsynchronous else { return false }
        block.pointee.workers &-= 1
        if block.pointee.isAbandoned {
            block.pointee.isAbandoned = false
            pointee.waiting -= 1
        }
        if pointee.isStopping || block.isCompletionClaimed { pointee.wheel.remove(block) }
        return pointee.isStopping && !block.hasEnded
    }

    /// With the lock held. Nil when the thread shall end: there is one too many, since those that waited go on, and
    /// nothing to be completed; or the pool stops, or nothing came for a long while.
    private func waitForNext(_ slot: UnsafeMutablePointer<ThreadSlot>) -> WorkerPool.Work? {
        while true {
            let isExtra = active > pointee.options.maximumWorkers
            if let block = pointee.queue.first, !isExtra || block.hasEnded {
                return take(block)
            }
            if isExtra || pointee.isStopping || !waitForWork(slot) { return nil }
        }
    }

    @inline(__always)
    private func take(_ block: RequestBlock.Pointer) -> WorkerPool.Work {
        pointee.queue.remove(block)
        pointee.pending.store(pointee.queue.count, ordering: .relaxed)
        pointee.growth.taken &+= 1
        let work = WorkerPool.Work(block)
        if !work.isCompletion, block.pointee.isAsynchronous { block.pointee.workers &+= 1 }
        return work
    }

    /// An idle worker looks for work so often before it sleeps, about 2 µs.
    private var spins: Int { 50 }

    /// An idle worker ends after so long.
    var idleNanoseconds: UInt64 { 5_000_000_000 }

    /// With the lock held. False when nothing came for a long while.
    private func waitForWork(_ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        pointee.idlers.spinning += 1
        pointee.lock.unlock()
        // To sleep and to be woken takes much longer.
        for _ in 0..<spins where pointee.pending.load(ordering: .relaxed) == 0 { cp_relax() }
        pointee.lock.lock()
        pointee.idlers.spinning -= 1
        if pointee.queue.count > 0 || pointee.isStopping { return true }
        pointee.idlers.add(slot)
        pointee.lock.unlock()
        slot.sleep(until: Clock.now() &+ idleNanoseconds)
        pointee.lock.lock()
        return pointee.idlers.leave(slot) || pointee.queue.count > 0
    }

    /// With the lock held: notes that this thread ends. Gives the one that did before it.
    func retire() -> pthread_t? {
        pointee.threads -= 1
        return leaveLast()
    }

    /// The same for any thread of the pool.
    func leaveLast() -> pthread_t? {
        pointee.ended.broadcast()
        defer { pointee.retired = pthread_self() }
        return pointee.retired
    }
}

extension WorkerPool {
    /// What a worker has taken out of the queue.
    struct Work {
        let block: RequestBlock.Pointer
        /// As it was when it was taken: a request that a worker has in hand may be queued for its completion meanwhile.
        let isCompletion: Bool

        /// With the lock held.
        init(_ block: RequestBlock.Pointer) {
            self.block = block
            isCompletion = block.pointee.isQueuedForCompletion
        }
    }

    /// What a worker has done.
    struct Attendance {
        /// The request that it has to leave.
        var left: RequestBlock.Pointer?
        /// Whether it has run a completion that its pool is still to count.
        var hasFinished = false
    }

    /// Runs a request that was queued, or the completion of one that has ended.
    static func attend(_ work: Work, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Attendance {
        let block = work.block
        SchedulePoint.pass()
        guard !work.isCompletion else { return Attendance(hasFinished: block.complete()) }
        if let job = block.pointee.detour?.job {
            if block.hasEnded { job.drop() } else { _ = job.run() }
        } else if !block.hasEnded {
            Pipeline.run(block, slot)
        }
        // A synchronous request has its caller, who waits for it; a job has nobody.
        guard block.pointee.isAsynchronous else { return Attendance(left: block) }
        SchedulePoint.pass()
        return Attendance(left: block, hasFinished: block.leaveUnattended() && block.complete())
    }
}
