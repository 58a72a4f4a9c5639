import Synchronization

/// The way of every request, whatever door it came by: interceptors, then the door's resolver, then
/// the handler, then one ending.
package enum Pipeline {
    /// Runs a request on this thread until it has ended or its handler has kept it.
    ///
    /// The stack must have room (``ThreadSlot``), and the caller holds a reference to the block.
    @inline(__always)
    package static func run(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) {
        if block.pointee.bus.pointee.interceptors.load(ordering: .relaxed) != 0 {
            guard Interceptors.run(block, slot) else { return }
        }
        if let declined = runBest(block, slot, past: nil) { runOthers(block, slot, past: declined) }
    }

    /// When the best handler has declined: the next best ones in turn.
    @inline(never)
    private static func runOthers(
        _ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>, past first: Handle
    ) {
        var declined = [first]
        while let next = runBest(block, slot, past: declined) { declined.append(next) }
    }

    /// Runs the best handler of those that have not declined yet. Gives its registration if it declines, too.
    @inline(__always)
    private static func runBest(
        _ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>, past declined: [Handle]?
    ) -> Handle? {
        block.pointee.isDeclined = false
        ReadSide.enter(slot)
        guard block.isBusLive else {
            ReadSide.leave(slot)
            block.end(.closed)
            return nil
        }
        switch OpenResolver.resolve(block, past: declined) {
        case .failed(let status):
            ReadSide.leave(slot)
            fail(block, status, hasDeclined: declined != nil)
            return nil
        case .found(let registration):
            let handle = registration.pointee.header.handle(.registration)
            slot.push(handle.index, block, isTrusted: block.pointee.isLocal)
            ReadSide.leave(slot)
            call(registration, block, slot)
            return settle(block) == .declined ? handle : nil
        }
    }

    /// Calls a handler whose registration stands on the slot's stack, and takes it off.
    @inline(__always)
    static func call(
        _ registration: Registration.Pointer, _ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>
    ) {
        block.pointee.pattern = registration.pointee.pattern
        block.startHolding()
        if let request = block.opaque(.request) {
            if let runtime = block.pointee.runtime, runtime.identity != registration.pointee.runtime {
                runtime.without { registration.pointee.handler(request, registration.pointee.context.pointer) }
            } else {
                registration.pointee.handler(request, registration.pointee.context.pointer)
            }
        }
        slot.pop()
        registration.didReturn()
    }

    enum Settlement {
        case done, kept, declined
    }

    /// What a handler that has returned left behind.
    @inline(__always)
    private static func settle(_ block: RequestBlock.Pointer) -> Settlement {
        guard block.pointee.holding.load(ordering: .acquiring) == RequestBlock.Holding.running else {
            return settleRetained(block)
        }
        block.pointee.holding.store(0, ordering: .relaxed)
        block.pointee.pattern = nil
        if block.hasEnded { return .done }
        if block.pointee.isDeclined { return .declined }
        endUnanswered(block)
        return .done
    }

    /// At the open door a handler that neither ended nor kept the request has opened the URL.
    @inline(__always)
    private static func endUnanswered(_ block: RequestBlock.Pointer) {
        if block.pointee.isAsynchronous {
            _ = block.end(.ok, code: Status.ok.code)
        } else {
            block.endAlone()
        }
    }

    @inline(never)
    static func settleRetained(_ block: RequestBlock.Pointer) -> Settlement {
        let after = block.pointee.holding.bitwiseAnd(
            ~RequestBlock.Holding.running, ordering: .acquiringAndReleasing
        ).newValue
        if block.hasEnded { return .done }
        guard after & RequestBlock.Holding.countMask == 0 else { return .kept }
        block.end(.noReply)
        return .done
    }

    /// When all that matched have declined, it is as if none had matched.
    @inline(never)
    private static func fail(_ block: RequestBlock.Pointer, _ status: Status, hasDeclined: Bool) {
        block.end(hasDeclined && status == .blocked ? .noRoute : status)
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Notes that a handler runs, beside what an interceptor may have retained.
    @inline(__always)
    func startHolding() {
        if pointee.holding.load(ordering: .relaxed) == 0 {
            pointee.holding.store(RequestBlock.Holding.running, ordering: .relaxed)
        } else {
            pointee.holding.bitwiseOr(RequestBlock.Holding.running, ordering: .relaxed)
        }
    }

    /// Whether the request's bus is still the one it was made on. Only inside a read section does the
    /// answer hold beyond the call.
    @inline(__always)
    var isBusLive: Bool {
        pointee.bus.pointee.header.generation.load(ordering: .acquiring) == pointee.busHandle.generation
    }
}
