import Synchronization

/// Where a request runs.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Runs `body` on the pool of the request's dispatcher. Gives `absent` where there is none, or the bus is gone.
    @inline(__always)
    func withPool<Result>(else absent: Result, _ body: (WorkerPool.Pointer) -> Result) -> Result {
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard let pools = Dispatchers(pointee.bus.pointee.dispatchers.load(ordering: .acquiring)),
            let pool = pools[pointee.dispatcher], pool.pointee.busHandle == pointee.busHandle
        else { return absent }
        return body(pool)
    }

    /// Gives a request to a worker of its dispatcher.
    func queue() -> Status {
        guard pointee.dispatcher != Dispatchers.unknown else { return pointee.status }
        return withPool(else: .closed) { $0.submit(self) }
    }

    /// Ends an asynchronous request that somebody may have in hand.
    func endEarly(_ status: Status) -> Bool {
        guard end(status) else { return false }
        expedite()
        return true
    }

    /// Has it completed at once, after somebody has ended it who does not have it in hand.
    func expedite() { withPool(else: ()) { $0.expedite(self) } }

    /// Notes where and when the request runs, and who hears of it. One for a dispatcher that is not there has ended
    /// then.
    @inline(never)
    func deliver(_ delivery: RequestDelivery) {
        detour.delivery = delivery
        pointee.isFollowed = delivery.listener != nil || delivery.loop != nil
        if pointee.isFollowed { pointee.tellers.store(0, ordering: .relaxed) }
        pointee.priority = Int8(clamping: delivery.priority)
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

    /// Lets a call that names no dispatcher run where its component does.
    func takeDispatcherOfComponent(_ slot: UnsafeMutablePointer<ThreadSlot>) {
        guard pointee.kind == .call, pointee.dispatcher == 0,
            pointee.bus.pointee.hasNamedDispatchers.load(ordering: .acquiring)
        else { return }
        ReadSide.enter(slot)
        if isBusLive, case .found(let action, _) = CallResolver.resolve(self) {
            pointee.dispatcher = action.pointee.owner?.dispatcher ?? 0
        }
        ReadSide.leave(slot)
    }

    /// Whether this thread is a worker for a handler that wants one: any of the bus's, unless a dispatcher was named
    /// for a synchronous request. An asynchronous one is where it belongs.
    func mayRunHere(_ slot: UnsafeMutablePointer<ThreadSlot>, _ registration: Registration.Pointer) -> Bool {
        if !pointee.isAsynchronous, pointee.dispatcher == 0 {
            pointee.dispatcher = registration.pointee.owner?.dispatcher ?? 0
        }
        guard let pool = slot.pointee.pool, pool.pointee.busHandle == pointee.busHandle else { return false }
        return pointee.isAsynchronous || pointee.dispatcher == 0 || pointee.dispatcher == pool.pointee.index
    }
}
