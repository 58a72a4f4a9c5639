extension Bus {
    /// Calls a selector of a target and waits for the answer. A remote request reaches a target by a rule only.
    ///
    /// ```swift
    /// try bus.allow("swift:Cart")
    /// try bus.perform("swift:Cart", "add", ["item": 7]).value
    /// ```
    ///
    /// - Parameters:
    ///   - target: `prefix:what`, at most 1,024 bytes; see ``allow(_:)``.
    ///   - selector: a method's name, or any text that the resolver takes for one; at most 128 bytes.
    ///   - params: a map, or a foreign object with the plain form of one, or null.
    /// - Returns: the response to a request that succeeded.
    /// - Throws: *handlerFailed*; *denied* (not allowed, or of remote origin); *noTarget*, *noAction* (not found, and no
    ///   fallback has it); *invalidParameter* (params do not fit); *invalidIdentifier* (a malformed target), *limitExceeded*, *wrongType* (params,
    ///   userInfo); *timedOut*, *noReply*, *busy*, *deadlock*, *nestedTooDeeply*, *closed*, *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func perform(
        _ target: String, _ selector: String = "", _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Response {
        try request(.perform, target, selector, params, options)
    }

    /// Calls a selector of a target on a worker of the bus and returns at once.
    ///
    /// - Parameter completion: runs exactly once if this succeeds, with the response.
    /// - Throws: *busy* (the queue is full), *invalidIdentifier*, *notFound* (the dispatcher), *limitExceeded*, *wrongType*, *invalidHandle*,
    ///   *systemFailure*, *outOfMemory*.
    @discardableResult
    public func performAsync(
        _ target: String, _ selector: String = "", _ params: Value = .null, options: RequestOptions = RequestOptions(),
        completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        try requestAsync(.perform, target, selector, params, options, completion)
    }

    /// Releases a target's kept instance.
    ///
    /// - Throws: *notFound* (none is kept), *noTarget* (no such resolver), *denied* (not allowed, or inside a request
    ///   of remote origin), *invalidIdentifier*, *limitExceeded*, *invalidHandle*; what the resolver answers.
    public func releasePerformer(_ target: String) throws(CrosstieError) {
        _ = try withBytes(of: target) { bytes throws(CrosstieError) in try PerformKind.release(handle, bytes) }
    }
}
