import Synchronization

/// The dispatcher of a request: where it runs.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Runs `body` on the pool of the request's dispatcher. Returns `absent` if there is none, or the bus has ended.
    @inline(__always)
    func withPool<Result>(else absent: Result, _ body: (WorkerPool.Pointer) -> Result) -> Result {
        Dispatchers.withPool(pointee.dispatcher, of: pointee.bus, pointee.busHandle, else: absent, body)
    }

    /// Gives a request to a worker of its dispatcher.
    func queue() -> Status {
        guard pointee.dispatcher != Dispatchers.unknown else { return pointee.status }
        return withPool(else: .closed) { $0.submit(self) }
    }

    /// Has a request completed at once, after a thread has ended it that does not have it in hand.
    func expedite() { withPool(else: ()) { $0.expedite(self) } }

    /// Notes where and when the request runs, and its listener. Ends a request for a dispatcher that the bus does not
    /// have.
    @inline(never)
    func deliver(_ delivery: RequestDelivery) {
        extras.delivery = delivery
        pointee.isFollowed = delivery.listener != nil || delivery.loop != nil
        if pointee.isFollowed { pointee.ownership.resetProgress() }
        pointee.priority = Int8(clamping: delivery.priority)
        if delivery.isElsewhere, !KindTable.type(of: pointee.kind).mayLeave {
            end(.invalidArgument, message: "only calls, events and URLs go to a peer")
        }
        guard !delivery.dispatcher.isEmpty else { return }
        do throws(CrosstieError) {
            pointee.dispatcher = try BusRecord.withState(pointee.busHandle) { _, state throws(CrosstieError) in
                try state.dispatcher(delivery.dispatcher)
            }
        } catch {
            pointee.dispatcher = Dispatchers.unknown
            end(error.status == .invalidHandle ? .closed : error.status, message: error.message)
        }
    }

    /// Whether this thread is a worker for a handler that wants one: any of the bus's, unless a dispatcher was named
    /// for a synchronous request. An asynchronous one is where it belongs.
    func mayRunHere(_ slot: UnsafeMutablePointer<ThreadSlot>, _ registration: RegistrationRecord.Pointer) -> Bool {
        if !pointee.isAsynchronous, pointee.dispatcher == 0 {
            pointee.dispatcher = registration.pointee.owner?.dispatcher ?? 0
        }
        guard let pool = slot.pointee.pool, pool.pointee.busHandle == pointee.busHandle else { return false }
        return pointee.isAsynchronous || pointee.dispatcher == 0 || pointee.dispatcher == pool.pointee.index
    }

    /// Has a worker of the bus go on with the request. The worker that had it before may not have left it yet.
    func handToWorker() {
        pointee.isShared = true
        pointee.runtime = nil
        if pointee.isAsynchronous { pointee.ownership.addOwner() }
        SchedulePoint.pass()
        pointee.references.add()
        let status = queue()
        guard status != .ok else { return }
        end(status)
        stopRunning()
        if pointee.isAsynchronous {
            withPool(else: ()) { $0.forget(self) }
            if removeOwner() { completeHere() }
        }
        drop()
    }
}
