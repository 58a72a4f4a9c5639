internal import Glibc
import Synchronization

/// The threads of one dispatcher: they run its asynchronous requests and their completions, and keep the deadlines.
/// They are started on demand, retired when idle, and joined when the bus closes.
///
/// It lives in the bus's ``Dispatchers`` until the bus's last reader has left.
package struct WorkerPool: ~Copyable {
    package typealias Pointer = UnsafeMutablePointer<WorkerPool>

    let lock: Lock
    /// Wakes the watcher for an earlier deadline, or for the end.
    let watch: Condition
    /// Wakes the thread that joins, when a thread of the pool has ended.
    let ended: Condition
    let options: DispatcherOptions
    let bus: BusRecord.Pointer
    let busHandle: Handle
    /// Which of the bus's dispatchers it is.
    let index: UInt8
    /// The number of queued requests, for spinning workers to look at without the lock.
    let pending: Atomic<Int>

    // Everything else only with the lock.
    var queue = RequestQueue()
    let wheel: DeadlineWheel
    var threads = 0
    var idlers = IdleWorkers()
    /// Workers whose handler waits inside the library for another request, or goes on with one that has been ended.
    var waiting = 0
    /// Asynchronous requests whose completion has neither run nor been left to a loop: closing waits for them.
    var unfinished = 0
    var growth = WorkerGrowth()
    var hasWatcher = false
    /// Until when the watcher sleeps.
    var watchUntil = Clock.never
    var isStopping = false
    /// Where an idle worker watches for work from other processes.
    var attendance: (any Attendance)?
    /// The thread that ended last. It joins the one before it, so that one is left to join in the end.
    var retired: pthread_t?

    private init(_ options: DispatcherOptions, _ bus: BusRecord.Pointer, _ handle: Handle, _ index: UInt8) {
        lock = Lock(spinning: true)
        watch = Condition()
        ended = Condition()
        pending = Atomic(0)
        wheel = DeadlineWheel()
        self.options = options
        self.bus = bus
        busHandle = handle
        self.index = index
    }

    static func make(
        _ options: DispatcherOptions, of bus: BusRecord.Pointer, _ handle: Handle, index: UInt8
    ) -> Pointer {
        let pool = Pointer.allocate(capacity: 1)
        pool.initialize(to: WorkerPool(options, bus, handle, index))
        return pool
    }
}

extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// Queues a request. Fails when the queue is full or no thread can be had at all.
    func submit(_ block: RequestBlock.Pointer) -> Status {
        pointee.lock.lock()
        let status = admission(of: block)
        guard status == .ok else {
            if status == .busy, isFull { block.pointee.verdict = .crowded }
            pointee.lock.unlock()
            return status
        }
        block.pointee.isQueuedForCompletion = false
        if block.pointee.isAsynchronous, !block.pointee.isCounted { accept(block) }
        pointee.queue.append(block)
        let worker = noteQueued()
        pointee.lock.unlock()
        worker?.wake()
        return .ok
    }

    /// Accepts a request that runs on its caller's thread, which the pool waits for until ``countFinished()``.
    func admit(_ block: RequestBlock.Pointer) -> Status {
        pointee.lock.with {
            guard !pointee.isStopping else { return .closed }
            guard !block.hasEnded else { return .alreadyDone }
            accept(block)
            pointee.unfinished &+= 1
            return .ok
        }
    }

    /// Queues a job. Fails as the submission of a request does.
    func submit(_ job: any Job) -> Status {
        pointee.lock.lock()
        let status = admission()
        guard status == .ok else {
            pointee.lock.unlock()
            return status
        }
        pointee.queue.append(job)
        let worker = noteQueued()
        pointee.lock.unlock()
        worker?.wake()
        return .ok
    }

    private var isFull: Bool { pointee.queue.count >= pointee.options.maximumQueued }

    @inline(__always)
    private func admission(of block: RequestBlock.Pointer) -> Status {
        // The completion of a request that has ended may be queued.
        guard pointee.isStopping || !block.hasEnded else { return .alreadyDone }
        return admission()
    }

    @inline(__always)
    private func admission() -> Status {
        guard !pointee.isStopping else { return .closed }
        guard !isFull else { return .busy }
        guard pointee.threads < hardMaximum || pointee.waiting < pointee.threads else { return .busy }
        return ensureWorker() ? .ok : .systemFailure
    }

    /// Queues the completion of a request that has ended and that no worker has. It is never refused for want of room.
    /// False when the pool has stopped or has no thread.
    func submitCompletion(_ block: RequestBlock.Pointer) -> Bool {
        pointee.lock.with {
            pointee.wheel.remove(block)
            guard !pointee.isStopping, ensureWorker() else { return false }
            block.pointee.isQueuedForCompletion = true
            pointee.queue.append(block)
            noteQueued()?.wake()
            return true
        }
    }

    /// After a request was ended that somebody may have in hand: its completion runs next, on another worker if its
    /// handler goes on.
    func expedite(_ block: RequestBlock.Pointer) {
        pointee.lock.with {
            pointee.wheel.remove(block)
            if block.pointee.isQueued {
                pointee.queue.remove(block)
            } else {
                abandon(block)
                // Without an observer there is nothing to hurry for.
                guard block.pointee.isObserved, !pointee.isStopping, pointee.threads > 0, block.isCompletionDue,
                    block.claimCompletion()
                else { return }
                block.pointee.isQueuedForCompletion = true
            }
            pointee.queue.prepend(block)
            helpOut()
            noteQueued()?.wake()
        }
    }

    /// Lets another worker work instead of one whose handler goes on for nothing.
    private func abandon(_ block: RequestBlock.Pointer) {
        guard block.pointee.workers > 0, !block.pointee.isAbandoned else { return }
        block.pointee.isAbandoned = true
        pointee.waiting += 1
        if pointee.queue.count > 0 { _ = ensureWorker() }
    }

    /// Runs `body`, in which a worker of this pool waits: another may work in its stead. Nil when it would wait for a
    /// request that nobody would be left to run.
    func whileWaiting<Result>(for block: RequestBlock.Pointer, _ body: () -> Result) -> Result? {
        guard var refused = (pointee.lock.with { beginWaiting(for: block) }) else { return nil }
        refused.end(.busy)
        defer { pointee.lock.with { pointee.waiting -= 1 } }
        return body()
    }

    /// The same for something else than a request.
    func whileWaiting<Result>(_ body: () -> Result) -> Result {
        var refused = pointee.lock.with { beginWaiting(for: nil) }
        refused?.end(.busy)
        defer { pointee.lock.with { pointee.waiting -= 1 } }
        return body()
    }

    /// Gives what nobody is left to run, for which others may be waiting; nil when this thread would wait for such a
    /// one.
    private func beginWaiting(for block: RequestBlock.Pointer?) -> RequestChain? {
        let isLast = pointee.threads >= hardMaximum && pointee.waiting + 1 >= pointee.threads
        if isLast, let block, block.pointee.isQueued, isPool(of: block) { return nil }
        pointee.waiting += 1
        if isLast, pointee.queue.count > 0 { return pointee.wheel.take { $0.pointee.isQueued && !$0.hasEnded } }
        if pointee.queue.count > 0 {
            _ = ensureWorker()
            noteQueued()?.wake()
        }
        return RequestChain()
    }

    private func isPool(of block: RequestBlock.Pointer) -> Bool {
        pointee.index == block.pointee.dispatcher && pointee.busHandle == block.pointee.busHandle
    }

    /// Takes a request that has ended out of the wheel.
    func forget(_ block: RequestBlock.Pointer) { pointee.lock.with { pointee.wheel.remove(block) } }

    /// The asynchronous requests that have not ended, which are going to be.
    func takeOpen() -> RequestChain { pointee.lock.with { pointee.wheel.take { !$0.hasEnded } } }
}

/// With the lock held.
extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// Notes that something has been queued. Gives the worker to be woken for it, if any.
    @inline(__always)
    private func noteQueued() -> UnsafeMutablePointer<ThreadSlot>? {
        pointee.pending.store(pointee.queue.count, ordering: .relaxed)
        return pointee.idlers.call(for: pointee.queue.count)
    }

    /// Keeps the deadline of a request that has just come, and enters it among the unfinished ones. A request that
    /// comes again has both: a thread that has taken it out of the wheel meanwhile ends it, and has it linked elsewhere.
    @inline(__always)
    private func accept(_ block: RequestBlock.Pointer) {
        block.pointee.isCounted = true
        pointee.unfinished &+= 1
        keepDeadline(of: block)
    }

    @inline(__always)
    private func keepDeadline(of block: RequestBlock.Pointer) {
        pointee.wheel.insert(block)
        if block.pointee.deadline < pointee.watchUntil { wakeWatcher(by: block.pointee.deadline) }
    }
}

extension ThreadSlot {
    /// The pool whose worker this thread is.
    @inline(__always)
    package var pool: WorkerPool.Pointer? {
        get { poolAddress?.assumingMemoryBound(to: WorkerPool.self) }
        set { poolAddress = UnsafeMutableRawPointer(newValue) }
    }
}
