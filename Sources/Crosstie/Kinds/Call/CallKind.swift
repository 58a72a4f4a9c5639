import Synchronization

/// The kind of request that calls an action of a component.
enum CallKind: KindOfRequest {
    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution { CallResolver.resolve(block) }

    static var mayLeave: Bool { true }

    /// Lets a call that names no dispatcher run where its component does.
    static func prepareForQueue(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) {
        guard block.pointee.dispatcher == 0,
            block.pointee.bus.pointee.hasNamedDispatchers.load(ordering: .acquiring)
        else { return }
        ReadSide.enter(slot)
        if block.isBusLive, case .found(let action, _) = CallResolver.resolve(block) {
            block.pointee.dispatcher = action.pointee.owner?.dispatcher ?? 0
        }
        ReadSide.leave(slot)
    }

    /// Whether a call leads to an action that does not block, or to a peer, which is sent it without waiting; and nothing
    /// that may block comes first.
    @inline(__always)
    static func runsAtOnce(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        block.pointee.bus.pointee.mayCallAtOnce.load(ordering: .relaxed) && leadsToNonblocking(block, slot)
    }

    @inline(never)
    private static func leadsToNonblocking(
        _ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>
    ) -> Bool {
        guard block.mayRunAtOnce(slot) else { return false }
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard block.isBusLive, case .found(let action, _) = CallResolver.resolve(block) else { return false }
        return action.pointee.traits.contains(.nonblocking) && !action.pointee.traits.contains(.intercepted)
    }
}
