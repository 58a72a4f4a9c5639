import Synchronization

/// The resolver of components: the action of two names.
///
/// Call it inside a read section.
enum CallResolver {
    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution {
        if block.pointee.extras != nil, block.extras.delivery?.isElsewhere == true {
            return elsewhere(block) ?? .failed(.noComponent)
        }
        guard let table = ActionTable(block.pointee.bus.pointee.actions.load(ordering: .acquiring)) else {
            return missing(block, nil)
        }
        // The component itself is in the table as the action without a name.
        guard block.pointee.actionSize > 0, let action = table.find(block.actionKey) else {
            return missing(block, table)
        }
        if block.pointee.extras != nil, block.pointee.extras?.hasDeclined(action) == true { return .failed(.noAction) }
        return .found(action, match: action)
    }

    /// The resolution where the component, or its action, is missing: a component may be at a peer.
    @inline(never)
    private static func missing(_ block: RequestBlock.Pointer, _ table: ActionTable?) -> Resolution {
        let status = missingPart(block, table)
        return status == .noComponent ? elsewhere(block) ?? .failed(status) : .failed(status)
    }

    private static func missingPart(_ block: RequestBlock.Pointer, _ table: ActionTable?) -> Status {
        guard block.pointee.targetSize > 0 else { return .noName }
        guard let table, let target = block.target else { return .noComponent }
        let name = String(decoding: target, as: UTF8.self)
        let component = ActionKey.with(name, "", seed: block.pointee.bus.pointee.actionSeed) { table.find($0) }
        return component == nil ? .noComponent : .noAction
    }

    /// The registration that forwards the call to other processes; nil if it stays here.
    @inline(never)
    private static func elsewhere(_ block: RequestBlock.Pointer) -> Resolution? {
        let index = block.pointee.bus.pointee.callbackSlots.holder(of: .elsewhere)
        guard index != 0, block.pointee.kind == .call, block.pointee.flags & RequestFlags.here == 0,
            let registration = RegistrationRecord.at(index), let owner = registration.pointee.owner as? ElsewhereOwner,
            owner.takes(block)
        else { return nil }
        return .found(registration, match: registration)
    }

    /// Whether a call would be forwarded to a peer.
    fileprivate static func leaves(_ block: RequestBlock.Pointer) -> Bool {
        guard case .found(let registration, _) = resolve(block) else { return false }
        return registration.pointee.header.index == block.pointee.bus.pointee.callbackSlots.holder(of: .elsewhere)
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the request is a call that goes to another process, as the names lead now.
    package var isLeaving: Bool {
        guard pointee.kind == .call else { return false }
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        return isBusLive && CallResolver.leaves(self)
    }
}
