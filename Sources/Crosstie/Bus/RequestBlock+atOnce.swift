import Synchronization

/// An asynchronous call of an action that does not block runs on its caller's thread: waking a worker would take much
/// longer than the handler.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether nothing comes before its handler that may block: no interceptor, dispatcher, job or peer.
    func mayRunAtOnce(_ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        pointee.dispatcher == 0 && slot.hasRoomForRequest && (pointee.extras?.mayRunAtOnce ?? true)
            && Interceptors.isEmpty(pointee.bus.pointee.interceptors.load(ordering: .relaxed))
    }

    /// Runs the request here. Fails as ``queue()`` does.
    func runAtOnce(_ slot: UnsafeMutablePointer<ThreadSlot>) -> Status {
        var admitted: WorkerPool.Pointer?
        let status = withPool(else: Status.closed) { pool in
            let status = pool.admit(self)
            if status == .ok { admitted = pool }
            return status
        }
        guard let admitted else { return status }
        SchedulePoint.pass()
        if !hasEnded { Pipeline.run(self, slot) }
        SchedulePoint.pass()
        // The caller may hold a lock that its completion takes.
        if removeOwner() { completeElsewhere() }
        dropAsCallback()
        admitted.countFinished()
        return .ok
    }
}

extension RequestExtras {
    fileprivate var mayRunAtOnce: Bool {
        interceptors == nil && job == nil && delivery?.sender == nil && delivery?.isElsewhere != true
    }
}
