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
}
