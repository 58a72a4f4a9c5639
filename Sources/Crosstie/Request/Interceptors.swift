import Synchronization

/// Interceptors see a request before its handler: its own, then its bus's, and once it is matched those of the route.
/// Each ends the request, keeps it, or lets it go on, maybe with another URL.
///
/// A bus's stand in one immutable array that is replaced whole. The word that leads there tells in its lowest bits
/// whose requests have to look: those that came by a kind for which there is an interceptor, or all, on a bus that
/// measures.
package enum Interceptors {
    /// The bit of a bus that counts and times its requests.
    static var measured: UInt { 0x100 }
    private static var flags: UInt { 0x1FF }

    /// The word of a bus without interceptors.
    static func none(isMeasured: Bool) -> UInt { isMeasured ? flags : 0 }

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
        guard let own = block.pointee.extras?.interceptors, stage < own.count else { return nil }
        block.pointee.ownStage &+= 1
        return own[stage]
    }

    /// The first one behind the last that has run: others may have come and gone meanwhile.
    private static func nextOfBus(_ block: RequestBlock.Pointer) -> Registration.Pointer? {
        let word = block.pointee.bus.pointee.interceptors.load(ordering: .acquiring)
        guard let list = UnsafePointer<InterceptorEntry>(bitPattern: word & ~flags) else { return nil }
        let count = Int(list[0].registration)
        var (low, high) = (1, count + 1)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].place > block.pointee.busPlace { high = middle } else { low = middle + 1 }
        }
        while low <= count, !list[low].scope.includes(block) { low += 1 }
        guard low <= count else { return nil }
        block.pointee.busPlace = list[low].place
        return Registration.at(list[low].registration)
    }

    /// Runs one, whose place on the thread's stack is taken. True when the request goes on, on this thread.
    static func call(
        _ interceptor: Interceptor, of runtime: UnsafeRawPointer?, _ block: RequestBlock.Pointer
    ) -> Bool {
        block.pointee.gate.startInterceptor()
        block.pointee.retainCount.startRunning()
        if let request = block.opaque(.request) {
            if let callers = block.pointee.runtime, callers.identity != runtime {
                callers.without { interceptor.handler(request, interceptor.context.pointer) }
            } else {
                interceptor.handler(request, interceptor.context.pointer)
            }
        }
        return block.passGate()
    }

    /// The word of an array of entries; the first one has their number for a registration.
    static func array(_ entries: [InterceptorEntry], isMeasured: Bool) -> UInt {
        guard !entries.isEmpty else { return none(isMeasured: isMeasured) }
        let bytes = (entries.count + 1) * MemoryLayout<InterceptorEntry>.stride
        let list = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: Int(flags) + 1)
            .bindMemory(to: InterceptorEntry.self, capacity: entries.count + 1)
        let head = InterceptorEntry(order: .min, age: 0, registration: UInt32(truncatingIfNeeded: entries.count))
        for (position, entry) in ([head] + entries).enumerated() { (list + position).initialize(to: entry) }
        let kinds = entries.reduce(none(isMeasured: isMeasured)) { $0 | UInt($1.scope.kinds) }
        return UInt(bitPattern: list) | kinds
    }

    static func free(_ word: UInt) {
        UnsafeMutablePointer<InterceptorEntry>(bitPattern: word & ~flags)?.deallocate()
    }
}

/// One of a bus's interceptors.
package struct InterceptorEntry {
    /// Its order, then its age: which ones a request has seen is known by it, whoever comes and goes meanwhile.
    let place: Int64
    package let registration: UInt32
    let scope: InterceptorScope

    init(order: Int32, age: UInt32, registration: UInt32, scope: InterceptorScope = InterceptorScope()) {
        place = Int64(order) << 32 | Int64(age)
        self.registration = registration
        self.scope = scope
    }
}

/// Whose requests an interceptor of a bus sees.
package struct InterceptorScope {
    /// Those that came by one of these: see ``RequestKind/bit``.
    let kinds: UInt8
    /// Those that run on this dispatcher; nil for those of all.
    var dispatcher: UInt8?

    /// - Parameter kinds: the bits of kinds; 0 for all.
    /// - Throws: *invalidArgument* for an unknown kind.
    package init(kinds: UInt32) throws(CrosstieError) {
        guard kinds & ~UInt32(Self.allKinds) == 0 else {
            throw CrosstieError(.invalidArgument, "there is no such kind", at: "options.kinds")
        }
        self.kinds = kinds == 0 ? Self.allKinds : UInt8(truncatingIfNeeded: kinds)
    }

    package init() { kinds = Self.allKinds }

    private static var allKinds: UInt8 { 0xFF }

    @inline(__always)
    func includes(_ block: RequestBlock.Pointer) -> Bool {
        UInt(kinds) & block.pointee.kind.bit != 0
            && (dispatcher ?? block.pointee.dispatcher) == block.pointee.dispatcher
    }
}
