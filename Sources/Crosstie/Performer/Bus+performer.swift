extension Bus {
    /// Puts a target on the bus's allow-list, for as long as the bus lives. At first nothing is allowed.
    ///
    /// - Parameter target: of `c:` each symbol by itself, just as it is performed; of others also everything behind it
    ///   and a colon.
    /// - Throws: *invalidIdentifier* (malformed), *limitExceeded* (over 1,024 bytes, or 4,096 entries), *invalidHandle*, *outOfMemory*.
    public func allow(_ target: String) throws(CrosstieError) {
        try withBytes(of: target) { bytes throws(CrosstieError) in try BusRecord.allow(handle, bytes) }
    }

    /// Registers what `swift:` and a name make, until the bus closes. It is performed only once it is allowed:
    /// `allow("swift:Name")`.
    ///
    /// - Parameter make: called for each request, or once for those that want the instance to be kept.
    /// - Throws: *conflict* (there is one of that name), *invalidIdentifier*, *invalidHandle*, *outOfMemory*.
    public func registerPerformer(
        _ name: String, _ make: @escaping @Sendable () throws -> any Performer
    ) throws(CrosstieError) {
        try Name.check(name)
        try BusRecord.swiftPerformers(handle).register(name, make)
    }

    /// Sets the resolver of a prefix: a handler that gets each allowed request of it, reads ``Request/target`` and
    /// ``Request/action``, and runs them. It refuses requests that it does not find (``Request/refuse(_:_:)``) with
    /// *noTarget* or *noAction*. Nil takes it away.
    ///
    /// - Parameter prefix: a letter, then letters and digits; at most 32 bytes.
    /// - Returns: *ok*, or *pending* while the one before it is running inside a handler.
    /// - Throws: *invalidIdentifier*, *conflict* (`c` and `swift`), *limitExceeded* (also of interceptors), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func setResolver(
        of prefix: String, isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler resolver: Handler?
    ) throws(CrosstieError) -> Status {
        let content = try resolver.map { resolver throws(CrosstieError) in
            try RegistrationContent(resolver, isWorkerOnly: isWorkerOnly, interceptors: interceptors)
        }
        return try withBytes(of: prefix) { bytes throws(CrosstieError) in
            try BusRecord.setResolver(of: bytes, handle, content)
        }
    }

    /// Sets the handler that gets a request whose target or selector was not found, before it fails. Targets that are
    /// not allowed do not reach it. Nil takes it away.
    ///
    /// - Returns: *ok*, or *pending* while the one before it is running inside a handler.
    /// - Throws: *limitExceeded* (interceptors), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func setPerformerFallback(
        isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler fallback: Handler?
    ) throws(CrosstieError) -> Status {
        guard let fallback else { return try BusRecord.set(.performerFallback, of: handle, to: nil) }
        let content = try RegistrationContent(fallback, isWorkerOnly: isWorkerOnly, interceptors: interceptors)
        return try BusRecord.set(.performerFallback, of: handle, to: content.performing)
    }
}
