import Synchronization

/// The resolver of components: the action of two names.
///
/// Call it inside a read section.
enum CallResolver {
    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution {
        if block.mustLeave { return block.wayElsewhere ?? .failed(.noComponent) }
        guard let table = ActionTable(block.pointee.bus.pointee.actions.load(ordering: .acquiring)) else {
            return missing(block, nil)
        }
        // The table has the component itself as an action without a name, and the recipients of an event under a component
        // without a name.
        guard block.pointee.actionSize > 0, block.pointee.targetSize > 0, let action = table.find(block.actionKey)
        else {
            return missing(block, table)
        }
        if block.pointee.extras != nil, block.pointee.extras?.hasDeclined(action) == true { return .failed(.noAction) }
        return .found(action, match: action)
    }

    /// The resolution where the component, or its action, is missing: a component may be at a peer.
    @inline(never)
    private static func missing(_ block: RequestBlock.Pointer, _ table: ActionTable?) -> Resolution {
        let status = missingPart(block, table)
        return status == .noComponent ? block.wayElsewhere ?? .failed(status) : .failed(status)
    }

    private static func missingPart(_ block: RequestBlock.Pointer, _ table: ActionTable?) -> Status {
        guard block.pointee.targetSize > 0 else { return .noName }
        guard let table, let target = block.target else { return .noComponent }
        let name = String(decoding: target, as: UTF8.self)
        let component = ActionKey.with(name, "", seed: block.pointee.bus.pointee.actionSeed) { table.find($0) }
        return component == nil ? .noComponent : .noAction
    }
}
