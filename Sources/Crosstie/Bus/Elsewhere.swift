/// The forwarder of a bus's requests to other processes. The core knows no more of them.
package struct Elsewhere {
    fileprivate let takes: (RequestBlock.Pointer) -> Bool
    fileprivate let forward: (RequestBlock.Pointer) -> Void
    fileprivate let hearers: (String, String) -> [Hearer]
    fileprivate let components: () -> [Offer]
    fileprivate let changed: () -> Void
    fileprivate let over: () -> Void

    /// A peer that exports an event.
    package struct Hearer {
        package let name: String
        /// The peer itself, for the forwarder.
        package let peer: AnyObject

        package init(_ name: String, _ peer: AnyObject) { (self.name, self.peer) = (name, peer) }
    }

    /// A name that a peer exports: a component, or `component.action`.
    package struct Offer {
        package let name: String
        /// The peer as a map.
        package let peer: Value

        package init(_ name: String, _ peer: Value) { (self.name, self.peer) = (name, peer) }
    }

    /// - Parameters:
    ///   - takes: whether a request may leave; called inside a read section.
    ///   - forward: retains a request, to end it later, or ends it. It never waits for the peer.
    ///   - hearers: the peers that export an event which the bus imports: all, or those of a name or number.
    ///   - components: the components of peers that the bus imports.
    ///   - changed: the bus's own components have changed.
    ///   - over: runs once, when the bus has closed.
    package init(
        takes: @escaping (RequestBlock.Pointer) -> Bool, forward: @escaping (RequestBlock.Pointer) -> Void,
        hearers: @escaping (String, String) -> [Hearer], components: @escaping () -> [Offer],
        changed: @escaping () -> Void, over: @escaping () -> Void
    ) {
        (self.takes, self.forward, self.over) = (takes, forward, over)
        (self.hearers, self.components, self.changed) = (hearers, components, changed)
    }
}

/// The context of the forwarder's registration, which ends with the bus.
private final class ElsewhereContext: Finalizer {
    let elsewhere: Elsewhere

    init(_ elsewhere: Elsewhere) { self.elsewhere = elsewhere }

    override func end() { elsewhere.over() }

    static let call: HandlerFunction = { raw, context in
        guard let own = CallbackContext.object(context, as: ElsewhereContext.self),
            case .live(let block) = RequestBlock.request(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        own.elsewhere.forward(block)
    }
}

extension BusRecord {
    /// - Throws: *notFound* for a dispatcher that a bus does not have; *invalidHandle*.
    package static func checkDispatcher(_ handle: Handle, _ name: String) throws(CrosstieError) {
        try withState(handle) { _, state throws(CrosstieError) in _ = try state.dispatcher(name) }
    }

    /// Has requests for which the bus has no handler go to other processes. The forwarder ends with the bus; also if this
    /// fails.
    package static func setElsewhere(_ handle: Handle, _ elsewhere: Elsewhere) throws(CrosstieError) {
        let context = CallbackContext(finalizing: ElsewhereContext(elsewhere))
        var content = RegistrationContent(handler: ElsewhereContext.call, context: context)
        content.owner = ElsewhereOwner(elsewhere)
        content.traits.insert(.nonblocking)
        _ = try set(.elsewhere, of: handle, to: content)
        try withState(handle) { bus, _ in bus.pointee.mayCallAtOnce.store(true, ordering: .relaxed) }
    }

    /// The peers that an event goes to: all, or those of a name or number.
    static func hearers(of event: String, on handle: Handle, among peer: String) -> [Elsewhere.Hearer] {
        elsewhere(of: handle)?.hearers(event, peer) ?? []
    }

    /// The components of peers that a bus imports.
    static func componentsElsewhere(_ handle: Handle) -> [Elsewhere.Offer] { elsewhere(of: handle)?.components() ?? [] }

    /// Has peers know of a change of the bus's components.
    static func announceComponents(_ handle: Handle) { elsewhere(of: handle)?.changed() }

    private static func elsewhere(of handle: Handle) -> Elsewhere? {
        let found = try? withState(handle) { bus, _ in bus.elsewhere?.owner.elsewhere }
        return found ?? nil
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    fileprivate var elsewhere: (registration: RegistrationRecord.Pointer, owner: ElsewhereOwner)? {
        let index = pointee.callbackSlots.holder(of: .elsewhere)
        guard index != 0, let registration = RegistrationRecord.at(index),
            let owner = registration.pointee.owner as? ElsewhereOwner
        else { return nil }
        return (registration, owner)
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The resolution by which the request goes to another process; nil if it stays here. Only inside a read section.
    @inline(never)
    var wayElsewhere: Resolution? {
        guard pointee.flags & RequestFlags.here == 0, let (registration, owner) = pointee.bus.elsewhere,
            owner.elsewhere.takes(self)
        else { return nil }
        return .found(registration, match: registration)
    }

    /// Whether the request must go to another process.
    @inline(__always)
    var mustLeave: Bool { pointee.extras != nil && pointee.extras?.delivery?.isElsewhere == true }
}
