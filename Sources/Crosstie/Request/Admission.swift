import Synchronization

/// The admission of a request to its handler: after the route's own interceptors, and on a worker if the handler runs on
/// workers only.
enum Admission {
    /// The handler may run, inside the same read section.
    case now
    /// Something else has run, and the request has to look for its handler again: the route may have been removed.
    case again
    /// The request has ended, or another thread goes on with it.
    case elsewhere

    /// Asked inside a read section, which is left unless the answer is *now*.
    @inline(never)
    static func of(
        _ registration: RegistrationRecord.Pointer, _ match: RegistrationRecord.Pointer, _ block: RequestBlock.Pointer,
        _ slot: UnsafeMutablePointer<ThreadSlot>
    ) -> Admission {
        if let next = nextInterceptor(registration, match, block) {
            slot.push(registration.pointee.header.index, block, isTrusted: block.pointee.isLocal)
            ReadSide.leave(slot)
            defer {
                slot.pop()
                registration.didReturn()
            }
            block.lend(registration.pointee.pattern ?? block.rulePattern)
            return Interceptors.call(next, of: registration.pointee.runtime, block) ? .again : .elsewhere
        }
        let traits = registration.pointee.traits
        if traits.contains(.workerOnly), !block.mayRunHere(slot, registration) {
            ReadSide.leave(slot)
            block.handToWorker()
            return .elsewhere
        }
        if traits.contains(.counted) { registration.pointee.countHit() }
        // A provider's begins when it has said that it can.
        if !traits.contains(.provider), let meter = registration.pointee.meter { meter.start(block) }
        return .now
    }

    /// The next of the route's interceptors; they start again when the request has come to another route.
    private static func nextInterceptor(
        _ registration: RegistrationRecord.Pointer, _ match: RegistrationRecord.Pointer, _ block: RequestBlock.Pointer
    ) -> Interceptor? {
        guard let chain = registration.pointee.interceptors else { return nil }
        let route = match.pointee.header.handle(.registration)
        let handler = registration.pointee.header.handle(.registration)
        if block.pointee.route != route || block.pointee.routeHandler != handler {
            (block.pointee.route, block.pointee.routeHandler) = (route, handler)
            block.pointee.routeStage = 0
        }
        let stage = Int(block.pointee.routeStage)
        guard stage < chain.count else { return nil }
        block.pointee.routeStage &+= 1
        return chain[stage]
    }
}
