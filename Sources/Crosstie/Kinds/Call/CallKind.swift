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
}
