/// The requests and jobs that wait for a worker: by their priority, then in their order. Requests are a chain through the
/// blocks, so that queueing one allocates nothing. Jobs have the normal priority.
///
/// It cannot be copied: a reader of the queue would retain the array of jobs each time.
struct RequestQueue: ~Copyable {
    private var high = Chain()
    private var normal = Chain()
    private var low = Chain()
    private var jobs = JobQueue()
    /// The number of requests and jobs of normal priority that were ever queued: the turn of the next one.
    private var turns: UInt64 = 0
    private(set) var count = 0

    enum Item {
        case request(RequestBlock.Pointer)
        /// A job, to be taken by ``takeJob()``.
        case job
    }

    private struct Chain {
        var head: RequestBlock.Pointer?
        var tail: RequestBlock.Pointer?

        @inline(__always)
        mutating func append(_ block: RequestBlock.Pointer) {
            block.pointee.link = nil
            block.pointee.backLink = tail
            if let tail { tail.pointee.link = block } else { head = block }
            tail = block
        }

        mutating func prepend(_ block: RequestBlock.Pointer) {
            block.pointee.link = head
            block.pointee.backLink = nil
            if let head { head.pointee.backLink = block } else { tail = block }
            head = block
        }

        @inline(__always)
        mutating func remove(_ block: RequestBlock.Pointer) {
            let (after, before) = (block.pointee.link, block.pointee.backLink)
            if let after { after.pointee.backLink = before } else { tail = before }
            if let before { before.pointee.link = after } else { head = after }
        }
    }

    @inline(__always)
    mutating func append(_ block: RequestBlock.Pointer) {
        block.pointee.isQueued = true
        count &+= 1
        switch block.pointee.priority {
        case 0:
            block.pointee.turn = turns
            turns &+= 1
            normal.append(block)
        case 1...: high.append(block)
        default: low.append(block)
        }
    }

    mutating func append(_ job: any Job) {
        jobs.append(job, turn: turns)
        turns &+= 1
        count &+= 1
    }

    /// Puts a request before all others. It counts as an urgent one from then on.
    mutating func prepend(_ block: RequestBlock.Pointer) {
        block.pointee.isQueued = true
        block.pointee.priority = 1
        count &+= 1
        high.prepend(block)
    }

    @inline(__always)
    mutating func remove(_ block: RequestBlock.Pointer) {
        block.pointee.isQueued = false
        count &-= 1
        switch block.pointee.priority {
        case 0: normal.remove(block)
        case 1...: high.remove(block)
        default: low.remove(block)
        }
    }

    /// Takes the job that is the ``first`` item. The caller frees it.
    mutating func takeJob() -> QueuedJob? {
        guard let job = jobs.takeFirst() else { return nil }
        count &-= 1
        return job
    }

    /// The request or job whose turn it is.
    @inline(__always)
    var first: Item? {
        if let urgent = high.head { return .request(urgent) }
        if let next = normal.head { return jobs.nextTurn < next.pointee.turn ? .job : .request(next) }
        if jobs.nextTurn != JobQueue.noTurn { return .job }
        return low.head.map(Item.request)
    }
}
