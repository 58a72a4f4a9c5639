extension Bus {
    /// Registers a handler for the URLs that match a pattern.
    ///
    /// The closure's result is the answer. If it returns nil without having replied, declined or
    /// retained the request, the URL has been opened, with null. An error that it throws fails the request: a
    /// ``HandlerFailure`` with its code, any other with code -1 and its description.
    ///
    /// - Parameters:
    ///   - pattern: `scheme://host/…`, or `/…` on a bus with a default scheme; see docs/urls.md.
    ///   - name: known by this on its bus, for ``generate(named:_:query:)``; unique. Empty for none.
    ///   - rule: the id of the rule that it is for: in a table that has such a rule, which has to have the pattern's
    ///     shape, the rule says which origins may open it, and this handles it. Unique. Empty for none.
    ///   - isPublic: whether remote origins may open it.
    ///   - isWorkerOnly: whether the handler runs on a worker of the bus, also for a synchronous caller.
    ///   - isReplacing: whether it replaces a route of the same shape.
    ///   - remark: for listings; at most 1,024 bytes.
    ///   - interceptors: of this route alone, in their order; see ``intercept(order:_:)``. At most 64.
    /// - Returns: the registration; the route stays until ``Registration/remove()`` or the bus closes.
    /// - Throws: *invalidPattern*, *conflict* (a route or a rule of the same shape, a route of that name, or one for that rule),
    ///   *invalidIdentifier* (the name, the rule), *limitExceeded*, *invalidHandle* (the bus has closed), *outOfMemory*.
    @discardableResult
    public func route(
        _ pattern: String, name: String = "", rule: String = "", isPublic: Bool = false, isWorkerOnly: Bool = false,
        isReplacing: Bool = false, remark: String = "", interceptors: [Handler] = [], handler: @escaping Handler
    ) throws(CrosstieError) -> Registration {
        guard remark.utf8.count <= 1024 else {
            throw CrosstieError(.limitExceeded, "a remark has at most 1,024 bytes", at: "remark")
        }
        var content = try RegistrationContent(handler, isWorkerOnly: isWorkerOnly, interceptors: interceptors)
        content.isPublic = isPublic
        return try withBytes(of: pattern) { text throws(CrosstieError) in
            try withBytes(of: remark) { remark throws(CrosstieError) in
                var spec = RouteSpec(pattern: text)
                (spec.remark, spec.name, spec.rule, spec.isReplacing) = (remark, name, rule, isReplacing)
                return Registration(try BusRecord.addRoute(handle, spec, content))
            }
        }
    }

    /// Removes the route of a pattern's shape; deeper routes stay.
    ///
    /// - Returns: *ok*, or *pending* inside a handler while the route's handler runs.
    /// - Throws: *notFound*, *invalidPattern*, *invalidHandle*.
    @discardableResult
    public func removeRoute(_ pattern: String) throws(CrosstieError) -> Status {
        try withBytes(of: pattern) { text throws(CrosstieError) in
            try BusRecord.removeRoute(handle, pattern: text)
        }
    }

    /// Removes all routes; rules, interceptors and the handlers without a pattern stay.
    ///
    /// - Returns: *ok*, or *pending* inside a handler while one of them runs.
    /// - Throws: *invalidHandle* (the bus has closed).
    @discardableResult
    public func clearRoutes() throws(CrosstieError) -> Status { try BusRecord.clearRoutes(handle) }

    /// The routes, in the byte order of their patterns.
    ///
    /// - Throws: *invalidHandle* (the bus has closed).
    public func routes() throws(CrosstieError) -> [Route] {
        try BusRecord.listRoutes(handle)
    }

    /// Sets the handler of what nobody else takes: a URL that would end with *noRoute* or *blocked*. It may decline.
    /// Unless it is public it does not see what remote origins open. Nil takes it away.
    ///
    /// - Returns: *ok*, or *pending* while the one before it is running inside a handler.
    /// - Throws: *limitExceeded* (interceptors), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func setUnmatched(
        isPublic: Bool = false, isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler: Handler?
    ) throws(CrosstieError) -> Status {
        guard let handler else { return try BusRecord.set(.unmatched, of: handle, to: nil) }
        var content = try RegistrationContent(handler, isWorkerOnly: isWorkerOnly, interceptors: interceptors)
        content.isPublic = isPublic
        return try BusRecord.set(.unmatched, of: handle, to: content)
    }
}
