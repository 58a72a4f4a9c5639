internal import CPlatform
internal import Glibc

/// Threads that run a bus's asynchronous requests and completions: started on demand, retired when
/// idle, joined when the bus closes. The queue is a chain through the blocks, so that queueing
/// allocates nothing.
package final class WorkerPool: @unchecked Sendable {
    private let lock = Lock()
    private let wakeUp: UnsafeMutablePointer<pthread_cond_t>
    private let maximum: Int
    private let maximumQueued: Int
    /// The bus whose requests it runs; set once, before any thread is there.
    var owner: BusRecord.Pointer?

    private var head: RequestBlock.Pointer?
    private var tail: RequestBlock.Pointer?
    private var queued = 0
    private var threads = 0
    private var idle = 0
    /// Workers whose handler waits inside the library for another request.
    private var waiting = 0
    private var isStopping = false
    /// The thread that ended last. It joins the one before it, so that one is left to join in the end.
    private var retired: pthread_t?

    /// Waiting workers do not count toward the maximum, or a full pool would wait for itself; but there is an end.
    private var hardMaximum: Int { maximum + 256 }

    /// An idle worker ends after so long.
    private static var idleSeconds: Int { 5 }

    init(maximum: Int, queued: Int) {
        self.maximum = maximum
        maximumQueued = queued
        wakeUp = .allocate(capacity: 1)
        wakeUp.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(wakeUp, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(wakeUp)
        wakeUp.deallocate()
        lock.free()
    }

    /// Queues a request. Fails when the queue is full or no thread can be had at all.
    package func submit(_ block: RequestBlock.Pointer) -> Status {
        lock.with {
            guard !isStopping else { return .closed }
            guard queued < maximumQueued else { return .busy }
            guard threads < hardMaximum || waiting < threads else { return .busy }
            guard ensureWorker() else { return .system }
            append(block)
            return .ok
        }
    }

    /// Queues the completion of a request that has ended. It is never refused for want of room. False
    /// when the pool has stopped or has no thread.
    func submitCompletion(_ block: RequestBlock.Pointer) -> Bool {
        lock.with {
            guard !isStopping, ensureWorker() else { return false }
            append(block)
            return true
        }
    }

    /// Brings a queued request that has been cancelled to the front, so that its completion runs next.
    package func expedite(_ block: RequestBlock.Pointer) {
        lock.with {
            guard block.pointee.isQueued, block != head else { return }
            unlink(block)
            block.pointee.link = head
            block.pointee.backLink = nil
            head?.pointee.backLink = block
            head = block
            if tail == nil { tail = block }
            block.pointee.isQueued = true
            queued += 1
        }
    }

    /// Runs `body`, in which a worker of this pool waits for a request: another may work in its stead.
    func whileWaiting<Result>(_ body: () -> Result) -> Result {
        lock.with {
            waiting += 1
            if head != nil { _ = ensureWorker() }
        }
        defer { lock.with { waiting -= 1 } }
        return body()
    }

    /// Takes nothing more, and ends what is queued.
    func endQueued() {
        for block in close() {
            block.end(.closed)
            WorkerPool.attend(block)
        }
    }

    /// After ``endQueued()``: waits for what runs, and joins every thread.
    func join() {
        lock.lock()
        while threads > 0 { pthread_cond_wait(wakeUp, lock.raw) }
        let last = retired
        retired = nil
        lock.unlock()
        if let last { pthread_join(last, nil) }
    }

    private func close() -> [RequestBlock.Pointer] {
        lock.with {
            isStopping = true
            var left: [RequestBlock.Pointer] = []
            while let block = takeFirst() { left.append(block) }
            pthread_cond_broadcast(wakeUp)
            return left
        }
    }
}

/// The queue, with the lock held.
extension WorkerPool {
    private func append(_ block: RequestBlock.Pointer) {
        block.pointee.link = nil
        block.pointee.backLink = tail
        block.pointee.isQueued = true
        tail?.pointee.link = block
        tail = block
        if head == nil { head = block }
        queued += 1
        if idle > 0 { pthread_cond_signal(wakeUp) }
    }

    private func unlink(_ block: RequestBlock.Pointer) {
        let after = block.pointee.link
        let before = block.pointee.backLink
        after?.pointee.backLink = before
        before?.pointee.link = after
        if head == block { head = after }
        if tail == block { tail = before }
        block.pointee.link = nil
        block.pointee.backLink = nil
        block.pointee.isQueued = false
        queued -= 1
    }

    private func takeFirst() -> RequestBlock.Pointer? {
        guard let block = head else { return nil }
        unlink(block)
        return block
    }
}

/// The threads.
extension WorkerPool {
    /// With the lock held: makes sure that somebody will look at the queue. False when there is no
    /// thread and none can be started.
    private func ensureWorker() -> Bool {
        guard idle <= queued, threads - waiting < maximum, threads < hardMaximum else { return true }
        if start() { threads += 1 }
        return threads > 0
    }

    private func start() -> Bool {
        var thread = pthread_t()
        let context = CallbackContext(holding: self)
        let isStarted = LibraryThread.start(&thread, context.pointer) { WorkerPool.main($0) } == 0
        if !isStarted { context.destroy() }
        return isStarted
    }

    private static func main(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let context = CallbackContext(adopting: raw)
        CallbackContext.object(raw, as: WorkerPool.self)?.work()
        context.destroy()
        return nil
    }

    private func work() {
        cp_name_thread("crosstie")
        ThreadSlot.current.pointee.pool = self
        defer { ThreadSlot.current.pointee.pool = nil }
        while true {
            switch next() {
            case .attend(let block):
                WorkerPool.attend(block)
            case .end(let before):
                // With no lock held: a host's thread may have much to do at its end.
                if let before { pthread_join(before, nil) }
                return
            }
        }
    }

    private enum Step {
        case attend(RequestBlock.Pointer)
        case end(joining: pthread_t?)
    }

    private func next() -> Step {
        lock.with {
            while true {
                // One too many, since those that waited go on.
                if threads - waiting > maximum { return .end(joining: retire()) }
                if let block = takeFirst() { return .attend(block) }
                if isStopping || !waitForWork() { return .end(joining: retire()) }
            }
        }
    }

    /// With the lock held: notes that this thread ends. Gives the one that did before it.
    private func retire() -> pthread_t? {
        threads -= 1
        pthread_cond_broadcast(wakeUp)
        defer { retired = pthread_self() }
        return retired
    }

    /// With the lock held. False when nothing came for a long while.
    private func waitForWork() -> Bool {
        idle += 1
        defer { idle -= 1 }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        time.tv_sec += WorkerPool.idleSeconds
        return pthread_cond_timedwait(wakeUp, lock.raw, &time) == 0 || head != nil
    }

    /// Runs a request that was queued, or the completion of one that has ended.
    private static func attend(_ block: RequestBlock.Pointer) {
        if block.pointee.isAsynchronous, block.pointee.isCompletionClaimed.load(ordering: .acquiring) {
            block.complete()
            return
        }
        if !block.hasEnded { Pipeline.run(block, ThreadSlot.current) }
        // A synchronous request has its caller, who waits for it.
        if block.pointee.isAsynchronous {
            Delay.point()
            if !block.hasEnded, !BusRecord.detach(block) { block.end(.closed) }
            block.leaveUnattended()
        }
        block.dropAsCallback()
    }
}
