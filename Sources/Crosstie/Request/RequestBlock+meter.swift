import Synchronization

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Counts a new request on a bus that does so, also if it never comes to a handler. One in which a job makes others
    /// is not counted.
    func meterIfMeasured() {
        let word = pointee.bus.pointee.interceptors.load(ordering: .relaxed)
        guard word & Interceptors.measured != 0, pointee.callbacks.bits == 0, pointee.extras?.job == nil else {
            return
        }
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        let meter = isBusLive ? pointee.bus.pointee.meters?.unhandled : nil
        ReadSide.leave(slot)
        if let meter { _ = add(RequestCallback(.meter(meter, since: 0))) }
    }
}
