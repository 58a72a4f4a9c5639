/// Asking who would open a URL.
extension OpenDoor {
    /// Who would open a URL, without a side effect.
    package static func canOpen(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, isLocal: Bool, mode: MatchMode = .default
    ) -> (Status, Opener) {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return (resolved.status, .none) }
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(.open, on: slot, bus: bus, handle: handle) else {
            return (.noMemory, .none)
        }
        defer { block.drop() }
        // The record may have been one of another door.
        (block.pointee.door, block.pointee.flags) = (.open, 0)
        block.pointee.isLocal = isLocal && slot.isTrusted
        block.pointee.isNearest = mode.isNearest(on: bus)
        guard case .parsed = block.parse(url) else { return (.ok, .none) }
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard block.isBusLive else { return (.handle, .none) }
        switch OpenResolver.resolve(block) {
        case .found(let registration, _):
            let opener = OpenerGate.handler(bus.pointee.openerGate.load(ordering: .acquiring))
            let isOpener = registration.pointee.header.index == opener
            return (.ok, isOpener ? .system : .route)
        case .system: return (.ok, .system)
        case .failed: return (.ok, .none)
        }
    }
}
