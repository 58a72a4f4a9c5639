import Synchronization

/// A bus's interceptors: handlers that see every request before its door's resolver, in order. Each
/// ends the request or lets it proceed.
///
/// They stand in one immutable array that is replaced whole.
package enum Interceptors {
    /// Lets a request go on to what comes next when the interceptor that runs it returns.
    package static func proceed(_ block: RequestBlock.Pointer) -> Status {
        guard !block.pointee.hasProceeded, !block.hasEnded else { return .already }
        block.pointee.hasProceeded = true
        return .ok
    }

    /// Runs those that have not seen the request yet. False when one of them kept it from going on.
    @inline(never)
    static func run(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        while true {
            ReadSide.enter(slot)
            guard block.isBusLive, let next = next(block) else {
                ReadSide.leave(slot)
                return true
            }
            slot.push(next.pointee.header.index, block, isTrusted: block.pointee.isLocal)
            ReadSide.leave(slot)
            block.pointee.stage &+= 1
            block.pointee.hasProceeded = false
            Pipeline.call(next, block, slot)
            guard didProceed(block) else { return false }
        }
    }

    private static func didProceed(_ block: RequestBlock.Pointer) -> Bool {
        if block.pointee.hasProceeded, !block.hasEnded { return true }
        _ = Pipeline.settleRetained(block)
        return false
    }

    private static func next(_ block: RequestBlock.Pointer) -> Registration.Pointer? {
        let address = block.pointee.bus.pointee.interceptors.load(ordering: .acquiring)
        guard let list = UnsafePointer<UInt32>(bitPattern: address), block.pointee.stage < list[0] else { return nil }
        return Registration.at(list[1 + Int(block.pointee.stage)])
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
