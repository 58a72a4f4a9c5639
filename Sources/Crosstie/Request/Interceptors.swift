import Synchronization

/// Interceptors see a request before its handler: its own, then its bus's, and once it is matched those of the route.
/// Each ends the request, keeps it, or lets it go on, maybe with another URL.
///
/// A bus's are in one immutable array that is replaced whole. The lowest bits of the word that leads there say which
/// requests have to look: those that came by a kind for which there is an interceptor, or all, on a bus that measures.
package enum Interceptors {
    /// The bit of a bus that counts and times its requests.
    static var measured: UInt { 1 << UInt(RequestKind.maximumCount) }
    private static var flags: UInt { measured << 1 - 1 }

    /// Whether a bus with this word has no interceptors.
    @inline(__always)
    static func isEmpty(_ word: UInt) -> Bool { word & ~flags == 0 }

    /// The word of a bus without interceptors.
    static func none(isMeasured: Bool) -> UInt { isMeasured ? flags : 0 }

    /// Runs those of the request and of its bus that have not seen it yet. False when it goes no further on this
    /// thread: it has ended, or an interceptor keeps it.
    @inline(never)
    static func run(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        // A rewrite starts from the beginning, so each round looks at both.
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

    /// The first one behind the last that has run: others may have been added and removed meanwhile.
    private static func nextOfBus(_ block: RequestBlock.Pointer) -> RegistrationRecord.Pointer? {
        let word = block.pointee.bus.pointee.interceptors.load(ordering: .acquiring)
        guard let list = UnsafePointer<InterceptorEntry>(bitPattern: word & ~flags) else { return nil }
        let count = Int(list[0].registration)
        var (low, high) = (1, count + 1)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].key > block.pointee.busPosition { high = middle } else { low = middle + 1 }
        }
        while low <= count, !list[low].scope.includes(block) { low += 1 }
        guard low <= count else { return nil }
        block.pointee.busPosition = list[low].key
        return RegistrationRecord.at(list[low].registration)
    }

    /// Runs one, for which the thread's stack has room. True when the request goes on, on this thread.
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
        let head = InterceptorEntry(position: .min, age: 0, registration: UInt32(truncatingIfNeeded: entries.count))
        for (index, entry) in ([head] + entries).enumerated() { (list + index).initialize(to: entry) }
        let kinds = entries.reduce(none(isMeasured: isMeasured)) { $0 | UInt($1.scope.kinds) }
        return UInt(bitPattern: list) | kinds
    }

    static func free(_ word: UInt) {
        UnsafeMutablePointer<InterceptorEntry>(bitPattern: word & ~flags)?.deallocate()
    }
}
