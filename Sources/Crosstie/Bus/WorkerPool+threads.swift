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
        LibraryThread.begin("crosstie")
        let slot = ThreadSlot.current
        slot.pointee.pool = self
        defer { slot.pointee.pool = nil }
        var done = WorkerPool.Done()
        while let work = next(after: &done, slot) { done = WorkerPool.perform(work, slot) }
    }

    /// Finishes the worker's last item and takes the next one; nil when the thread has to end.
    private func next(
        after done: inout WorkerPool.Done, _ slot: UnsafeMutablePointer<ThreadSlot>
    ) -> WorkerPool.Work? {
        pointee.lock.lock()
        if done.hasFinished { pointee.unfinished &-= 1 }
        let isOpen = done.request.map(leave) ?? false
        if !done.isEmpty, isOpen || pointee.queue.count == 0 {
            // Its values are not kept while the worker waits.
            pointee.lock.unlock()
            if isOpen { done.request?.end(.closed) }
            done.drop(slot)
            pointee.lock.lock()
        }
        let next = waitForNext(slot)
        // A worker that ends also passes on the item that it was called for.
        let helper = pointee.idlers.call(for: pointee.queue.count)
        let before = next == nil ? retire() : nil
        pointee.lock.unlock()
        helper?.wake()
        done.drop(slot)
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
            if let work = takeFirst(onlyEnded: isExtra) { return work }
            if isExtra || pointee.isStopping || !waitForWork(slot) { return nil }
        }
    }

    /// Takes the first work of the queue; only a request that has ended, if that is all that is wanted.
    @inline(__always)
    private func takeFirst(onlyEnded: Bool) -> WorkerPool.Work? {
        switch pointee.queue.first {
        case .request(let block) where !onlyEnded || block.hasEnded:
            pointee.queue.remove(block)
            noteTaken()
            if block.pointee.isQueuedForCompletion { return .completion(block) }
            if block.pointee.isAsynchronous { block.pointee.workers &+= 1 }
            return .request(block)
        case .job where !onlyEnded:
            guard let job = pointee.queue.takeJob() else { return nil }
            noteTaken()
            return .job(job)
        case .request, .job, nil: return nil
        }
    }

    @inline(__always)
    private func noteTaken() {
        pointee.pending.store(pointee.queue.count, ordering: .relaxed)
        pointee.growth.taken &+= 1
    }

    /// An idle worker looks for work so often before it sleeps, about 2 µs; never on a single core, where it would only
    /// keep the thread that brings the work from running.
    var spins: Int { pointee.growth.eager > 1 ? 50 : 0 }

    /// An idle worker ends after so long.
    var idleNanoseconds: UInt64 { 5_000_000_000 }

    /// With the lock held. False when nothing came for a long while.
    private func waitForWork(_ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        if let attendance = pointee.attendance, let isThere = waitForWork(slot, with: attendance) { return isThere }
        pointee.idlers.spinning += 1
        pointee.lock.unlock()
        // To sleep and to be woken takes much longer.
        for _ in 0..<spins where pointee.pending.load(ordering: .relaxed) == 0 { cp_relax() }
        pointee.lock.lock()
        pointee.idlers.spinning -= 1
        if pointee.queue.count > 0 || pointee.isStopping { return true }
        pointee.idlers.add(slot)
        pointee.lock.unlock()
        LibraryThread.rest { slot.sleep(until: Clock.now() &+ idleNanoseconds) }
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
    /// Work that was taken out of the queue. Its kind is that of the moment when it was taken: a request that a worker has
    /// in hand may be queued for its completion meanwhile.
    enum Work {
        case request(RequestBlock.Pointer)
        case completion(RequestBlock.Pointer)
        case job(QueuedJob)
    }

    /// The work that a worker has done, and still has in hand.
    struct Done {
        /// The request that the worker has to leave.
        var request: RequestBlock.Pointer?
        /// The job that the worker has to free.
        var job: QueuedJob?
        /// Whether the worker has run a completion that its pool is still to count.
        var hasFinished = false

        var isEmpty: Bool { request == nil && job == nil }

        /// Drops it, as inside a callback: a bus that a destroy function closes must not wait for this very thread.
        @inline(__always)
        mutating func drop(_ slot: UnsafeMutablePointer<ThreadSlot>) {
            if let request {
                request.dropAsCallback()
                self.request = nil
            }
            if job != nil { dropJob(slot) }
        }

        @inline(never)
        private mutating func dropJob(_ slot: UnsafeMutablePointer<ThreadSlot>) {
            if let job { slot.withCallback { job.free() } }
            job = nil
        }
    }

    /// Runs a request that was queued, the completion of one that has ended, or a job.
    static func perform(_ work: Work, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Done {
        SchedulePoint.pass()
        switch work {
        case .completion(let block): return Done(hasFinished: block.complete())
        case .request(let block): return perform(block, slot)
        case .job(let job):
            _ = job.job.run()
            return Done(job: job)
        }
    }

    private static func perform(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Done {
        if let job = block.pointee.extras?.job {
            if block.hasEnded { job.drop() } else { _ = job.run() }
        } else if !block.hasEnded {
            Pipeline.run(block, slot)
        }
        // The caller of a synchronous request waits for it.
        guard block.pointee.isAsynchronous else { return Done(request: block) }
        SchedulePoint.pass()
        return Done(request: block, hasFinished: block.removeOwner() && block.complete())
    }
}
