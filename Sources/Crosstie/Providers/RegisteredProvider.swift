import Synchronization

/// A provider in a bus's list.
final class RegisteredProvider: Finalizer, @unchecked Sendable {
    let content: ProviderContent
    private let link: UniversalLink?
    /// The index of its registration; set before anybody can find it.
    var registration: UInt32 = 0
    /// The index of the registration of its log; 0 for the bus's. It changes only with the bus's lock.
    let log = Atomic<UInt32>(0)
    private let hasEnded = Atomic<Bool>(false)

    init(_ content: ProviderContent) {
        self.content = content
        link = UniversalLink(content.universalLink)
    }

    /// Tells the host that nothing of it is needed, once: at the end of its registration, or where there never is one.
    override func end() {
        if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { content.context.destroy() }
    }

    /// The registered content, which selects the handler by the request's kind.
    var registered: RegistrationContent {
        var registered = RegistrationContent(
            isPublic: content.isPublic, handler: Self.handle, context: CallbackContext(finalizing: self),
            runtime: content.runtime)
        registered.name = content.name
        registered.traits.insert(.provider)
        return registered
    }

    /// The provider of a registration that has one.
    static func of(_ registration: RegistrationRecord.Pointer) -> RegisteredProvider? {
        CallbackContext.object(registration.pointee.context.pointer, as: RegisteredProvider.self)
    }

    /// All that it has on its bus; with the bus's lock.
    var registrations: [RegistrationRecord.Pointer] {
        [registration, log.load(ordering: .relaxed)].filter { $0 != 0 }.compactMap(RegistrationRecord.at)
    }

    /// Whether its tables allow it to handle the request; its own code is called later.
    func mayServe(_ block: RequestBlock.Pointer) -> Bool {
        guard content.functions[block.pointee.kind] != nil else { return false }
        guard content.can[block.pointee.kind] == nil else { return true }
        switch block.pointee.kind {
        case .open: return block.pointee.parts.text(block.pointee.parts.scheme).elementsEqual(content.appID.utf8)
        case .share: return endpoint(of: block) != nil
        case .oauth, .launch: return block.target?.elementsEqual(content.platform.utf8) == true
        default: return true
        }
    }

    /// Whether it can serve a request, by its own function or by comparison. Host code may run.
    func can(_ block: RequestBlock.Pointer) -> Bool {
        if let can = content.can[block.pointee.kind] {
            guard let request = block.opaque(.request) else { return false }
            return can(request, content.context.pointer)
        }
        guard block.pointee.kind == .activity else { return mayServe(block) }
        return link?.claims(Value(borrowing: block.plainParams)) == true
    }

    private func endpoint(of block: RequestBlock.Pointer) -> ProviderEndpoint? {
        guard let target = block.target else { return nil }
        return content.endpoints.first { target.elementsEqual($0.endpoint.utf8) }
    }

    private static let handle: HandlerFunction = { raw, context in
        guard let provider = CallbackContext.object(context, as: RegisteredProvider.self),
            case .live(let block) = RequestBlock.request(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        provider.handle(block, raw)
    }

    private func handle(_ block: RequestBlock.Pointer, _ raw: OpaquePointer) {
        let request = Request(block.pointee.header.handle(.request))
        guard let function = content.functions[block.pointee.kind], can(block) else {
            block.extras.noteUnable()
            try? request.decline()
            return
        }
        RegistrationRecord.at(registration)?.pointee.meter?.start(block)
        do throws(CrosstieError) {
            try check(block)
            if block.pointee.kind == .oauth { try SignInInfo.watch(request) }
        } catch {
            // A text that is too long for a message must not keep the status from the caller.
            if (try? request.refuse(error.status, error.message)) == nil { try? request.refuse(error.status) }
            return
        }
        function(raw, content.context.pointer)
    }

    /// The conditions for sharing, signing in and launching, in this order.
    private func check(_ block: RequestBlock.Pointer) throws(CrosstieError) {
        guard block.pointee.kind != .open, block.pointee.kind != .activity else { return }
        if let isInstalled = content.isInstalled, !isInstalled(content.context.pointer) {
            throw CrosstieError(.notInstalled, "what \(content.name) needs is not installed")
        }
        if let isSupported = content.isSupported, !isSupported(content.context.pointer) {
            throw CrosstieError(.unsupportedApp, "the installed program is too old for \(content.name)")
        }
        if block.pointee.kind == .share { try checkMessage(block.plainParams, block) }
    }

    private func checkMessage(_ message: ValueRef, _ block: RequestBlock.Pointer) throws(CrosstieError) {
        let target = String(decoding: block.target ?? .empty, as: UTF8.self)
        guard let kind = message[MessageField.identifier]?.string else {
            try MessageField.checkPlain(message)
            throw MessageField.problem(MessageField.identifier, "is not the kind of the message")
        }
        let own = endpoint(of: block)?.kinds ?? []
        let isAllowed =
            own.isEmpty
            ? ShareKind.kinds(for: Endpoint(rawValue: target)).contains(ShareKind(rawValue: kind))
            : own.contains(kind)
        guard isAllowed else {
            throw CrosstieError(
                .unsupportedMessage, "\(Quotation.quoted(kind)) does not go to \(target) by \(content.name)")
        }
        try MessageField.check(message, kind: ShareKind(rawValue: kind))
    }
}
