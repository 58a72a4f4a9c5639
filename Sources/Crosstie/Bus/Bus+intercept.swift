extension Bus {
    /// Registers an interceptor that sees the requests of the bus, before they are matched.
    ///
    /// It lets a request go on by ``Request/proceed()`` or ``Request/rewrite(_:)``, or answers it as a handler does: by
    /// what it returns, replies or throws.
    ///
    /// - Parameters:
    ///   - order: lower ones see a request first; of equal ones, the elder.
    ///   - kinds: those whose requests it sees; empty for all.
    ///   - dispatcher: whose requests it sees, by name; empty for those of all.
    /// - Throws: *notFound* (no dispatcher of that name), *limitExceeded* (over 1,024), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func intercept(
        order: Int32 = 0, kinds: Set<RequestKind> = [], dispatcher: String = "", _ interceptor: @escaping Handler
    ) throws(CrosstieError) -> Registered {
        let scope = try InterceptorScope(kinds: kinds.reduce(0) { $0 | UInt32($1.bit) })
        return Registered(
            try BusRecord.addInterceptor(
                handle, position: order, scope, dispatcher: dispatcher, try RegistrationContent(interceptor)))
    }

    /// Sets what the bus's opener is and what it may open.
    ///
    /// - Parameters:
    ///   - isOn: whether anything goes to it.
    ///   - servesRemote: whether it opens for remote origins, too.
    ///   - schemes: what it opens besides http and https; at most 64.
    ///   - program: what is started; a name is looked for on the PATH.
    ///   - handler: opens instead of the program; nil for the program.
    /// - Returns: *ok*, or *pending* while the handler before is running inside a handler.
    /// - Throws: *invalidURL* (a scheme), *limitExceeded*, *invalidArgument* (the program), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func setSystemOpener(
        isOn: Bool = true, servesRemote: Bool = false, schemes: [String] = [], program: String = "xdg-open",
        handler: Handler? = nil
    ) throws(CrosstieError) -> Status {
        var policy = SystemOpenerPolicy()
        (policy.isOff, policy.servesRemote) = (!isOn, servesRemote)
        (policy.schemes, policy.program) = (schemes, program)
        try policy.check()
        let content = handler.map {
            RegistrationContent(handler: HandlerClosure.call, context: HandlerClosure($0).context)
        }
        return try BusRecord.setSystemOpener(handle, policy, content)
    }
}
