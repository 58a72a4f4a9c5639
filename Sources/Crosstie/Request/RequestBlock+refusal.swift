extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Notes that the performer's handler that runs on this thread has not found the target or its selector, and leaves
    /// the request to the next one, as a handler that declines does. Returns false for any other handler and status: the
    /// request is to be ended.
    func leaveToFallback(_ status: Status, message: UnsafeRawBufferPointer) -> Bool {
        guard status == .noTarget || status == .noAction, isInPerformingHandler,
            RequestBlock.decline(pointee.header.handle(.request)) == .ok
        else { return false }
        extras.refusal = HandlerRefusal(status: status, message: String(decoding: message, as: UTF8.self))
        return true
    }

    /// Whether a resolver or the fallback is handling the request on this thread, and not an interceptor before it.
    private var isInPerformingHandler: Bool {
        let slot = ThreadSlot.current
        guard slot.currentRequest == self, pointee.gate.isPassable,
            let registration = RegistrationRecord.at(slot.currentRegistration)
        else { return false }
        return registration.pointee.traits.contains(.performing)
    }
}
