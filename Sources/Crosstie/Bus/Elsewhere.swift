/// The forwarder of a bus's calls to other processes. The core knows no more of them.
package struct Elsewhere {
    let takes: (RequestBlock.Pointer) -> Bool
    fileprivate let forward: (RequestBlock.Pointer) -> Void
    fileprivate let over: () -> Void

    /// - Parameters:
    ///   - takes: whether a call may leave; called inside a read section.
    ///   - forward: retains a call, to end it later, or ends it.
    ///   - over: runs once, when the bus has closed.
    package init(
        takes: @escaping (RequestBlock.Pointer) -> Bool, forward: @escaping (RequestBlock.Pointer) -> Void,
        over: @escaping () -> Void
    ) {
        (self.takes, self.forward, self.over) = (takes, forward, over)
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

    /// Has calls whose component the bus lacks go to other processes. The forwarder ends with the bus; also if this fails.
    package static func setElsewhere(_ handle: Handle, _ elsewhere: Elsewhere) throws(CrosstieError) {
        let context = CallbackContext(finalizing: ElsewhereContext(elsewhere))
        var content = RegistrationContent(handler: ElsewhereContext.call, context: context)
        content.owner = ElsewhereOwner(elsewhere)
        _ = try set(.elsewhere, of: handle, to: content)
    }
}
