/// The parts of a new registration.
package struct RegistrationContent {
    package var isPublic = false
    package var traits: RegistrationRecord.Traits = []
    package var handler: HandlerFunction = { _, _ in }
    package var log: LogFunction?
    package var context: CallbackContext
    package var runtime: UnsafeRawPointer?
    package var pattern: PatternInfo?
    /// As statistics call it, where there is no pattern.
    package var name = ""
    package var interceptors: [Interceptor] = []
    package var rule: LoadedRule?
    /// The owner of this registration and of others; nil for most.
    package var owner: RegistrationOwner?

    package init(
        isPublic: Bool = false, handler: @escaping HandlerFunction, context: CallbackContext,
        runtime: UnsafeRawPointer? = nil
    ) {
        self.isPublic = isPublic
        self.handler = handler
        self.context = context
        self.runtime = runtime
    }

    package init(log: @escaping LogFunction, context: CallbackContext) {
        self.log = log
        self.context = context
    }

    /// A rule's, which is never called itself.
    init(rule: LoadedRule) {
        isPublic = rule.rule.isPublic
        context = CallbackContext(pointer: nil, destroy: nil)
        self.rule = rule
    }

    /// An owner's own, which is never called itself.
    init(of owner: RegistrationOwner) {
        context = CallbackContext(pointer: nil, destroy: nil)
        self.owner = owner
    }

    var allTraits: RegistrationRecord.Traits {
        var traits = traits
        if !interceptors.isEmpty || owner?.interceptors != nil { traits.insert(.intercepted) }
        if rule != nil { traits.insert(.rule) }
        return traits
    }

    /// Its meter on a bus; nil where nothing is measured, or if no request can be about it.
    func meter(on bus: BusRecord.Pointer) -> Meter? {
        guard let meters = bus.pointee.meters, log == nil, rule == nil else { return nil }
        return meters.meter(named: pattern.map { String(decoding: $0.text, as: UTF8.self) } ?? name)
    }

    /// Tells the host that nothing of it is needed: it could not be registered.
    package func destroy() {
        context.destroy()
        for interceptor in interceptors { interceptor.context.destroy() }
    }
}
