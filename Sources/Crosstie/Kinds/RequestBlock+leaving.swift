/// Requests that leave their process, for interceptors.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the request goes to another process, as the names lead now.
    package var isLeaving: Bool {
        guard resolvesElsewhere(self, { block in block.mustLeave ? block.wayElsewhere : block.ownWay }) else {
            return false
        }
        return pointee.kind != .open || mustLeave || opensElsewhere
    }

    private var ownWay: Resolution? {
        switch pointee.kind {
        case .open: wayElsewhere
        case .call: CallResolver.resolve(self)
        case .event, .perform, .share, .oauth, .launch, .activity: nil
        }
    }

    /// A URL stays where this bus has a handler, which another request finds out: this one keeps what it has found.
    private var opensElsewhere: Bool {
        guard let url = urlPart(.whole) else { return false }
        let mode = pointee.isNearest ? MatchMode.nearest : .exact
        let asked = OpenKind.canOpen(pointee.busHandle, url, isLocal: pointee.isLocal, mode: mode, anywhere: true)
        return asked.1 == .peer
    }
}

/// Whether a resolution is that of the forwarder.
private func resolvesElsewhere(
    _ block: RequestBlock.Pointer, _ resolve: (RequestBlock.Pointer) -> Resolution?
) -> Bool {
    let slot = ThreadSlot.current
    ReadSide.enter(slot)
    defer { ReadSide.leave(slot) }
    guard block.isBusLive, case .found(let registration, _)? = resolve(block) else { return false }
    return registration.pointee.header.index == block.pointee.bus.pointee.callbackSlots.holder(of: .elsewhere)
}
