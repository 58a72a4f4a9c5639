import Synchronization

/// Interceptors see a request before its handler: its own, then its bus's, and once it is matched those of the route.
/// Each ends the request, keeps it, or lets it go on, maybe with another URL.
///
/// A bus's stand in one immutable array of registrations that is replaced whole.
package enum Interceptors {
    /// Runs those of the request and of its bus that have not seen it yet. False when it goes no further on this
    /// thread: it has ended, or an interceptor keeps it.
    @inline(never)
    static func run(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        // A rewrite begins anew, so each round looks at both.
        while true {
            if let own = nextOwn(block) {
                slot.push(0, block, isTrusted: block.pointee.isLocal)
                defer { slot.pop() }
                guard call(own, of: block.pointee.runtime?.identity, block) else { return false }
                continue
            }
            ReadSide.enter(slot)
            guard block.isBusLive, let next = nextOfBus(block) else {
                ReadSide.leave(slot)
                return true
            }
            slot.push(next.pointee.header.index, block, isTrusted: block.pointee.isLocal)
            ReadSide.leave(slot)
            let interceptor = Interceptor(next.pointee.handler, context: next.pointee.context)
            let goesOn = call(interceptor, of: next.pointee.runtime, block)
            slot.pop()
            next.didReturn()
            guard goesOn else { return false }
        }
    }

    private static func nextOwn(_ block: RequestBlock.Pointer) -> Interceptor? {
        let stage = Int(block.pointee.ownStage)
        guard let own = block.pointee.detour?.interceptors, stage < own.count else { return nil }
        block.pointee.ownStage &+= 1
        return own[stage]
    }

    private static func nextOfBus(_ block: RequestBlock.Pointer) -> Registration.Pointer? {
        let address = block.pointee.bus.pointee.interceptors.load(ordering: .acquiring)
        let stage = block.pointee.busStage
        guard let list = UnsafePointer<UInt32>(bitPattern: address), stage < list[0] else { return nil }
        block.pointee.busStage &+= 1
        return Registration.at(list[1 + Int(stage)])
    }

    /// Runs one, whose place on the thread's stack is taken. True when the request goes on, on this thread.
    static func call(
        _ interceptor: Interceptor, of runtime: UnsafeRawPointer?, _ block: RequestBlock.Pointer
    ) -> Bool {
        block.pointee.passage.store(RequestBlock.Passage.running, ordering: .relaxed)
        block.startHolding()
        if let request = block.opaque(.request) {
            if let callers = block.pointee.runtime, callers.identity != runtime {
                callers.without { interceptor.handler(request, interceptor.context.pointer) }
            } else {
                interceptor.handler(request, interceptor.context.pointer)
            }
        }
        return block.settlePassage()
    }

    /// The address of an array of registrations: how many, then their indexes. 0 for none.
    static func array(_ registrations: [UInt32]) -> UInt {
        guard !registrations.isEmpty else { return 0 }
        let list = UnsafeMutablePointer<UInt32>.allocate(capacity: registrations.count + 1)
        list.initialize(to: UInt32(truncatingIfNeeded: registrations.count))
        for (position, index) in registrations.enumerated() { (list + position + 1).initialize(to: index) }
        return UInt(bitPattern: list)
    }

    static func free(_ address: UInt) {
        UnsafeMutablePointer<UInt32>(bitPattern: address)?.deallocate()
    }
}
