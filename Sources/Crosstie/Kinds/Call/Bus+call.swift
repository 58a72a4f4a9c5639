extension Bus {
    /// Calls an action of a component and waits for the answer. It runs on this thread unless it is worker-only.
    ///
    /// ```swift
    /// try bus.call("home", "greet", ["name": "Ada"]).value
    /// ```
    ///
    /// - Parameter params: a map, or a foreign object with the plain form of one, or null.
    /// - Returns: the response to a request that succeeded.
    /// - Throws: *handlerFailed* (the action failed; see ``CrosstieError/response``), *noComponent*, *noAction*, *noName*,
    ///   *notAComponent* (its object could not be made), *denied*, *timedOut*, *noReply*, *busy*, *deadlock*, *nestedTooDeeply*,
    ///   *closed*, *notFound* (the dispatcher), *wrongType* (params or userInfo), *limitExceeded*, *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func call(
        _ component: String, _ action: String, _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Response {
        try request(.call, component, action, params, options)
    }

    /// Calls an action of a component on a worker and returns at once.
    ///
    /// - Parameter completion: runs exactly once if this succeeds, with the response.
    /// - Throws: *busy* (the queue is full), *noName*, *notFound* (the dispatcher), *wrongType*, *limitExceeded*, *invalidHandle*,
    ///   *systemFailure*, *outOfMemory*.
    @discardableResult
    public func callAsync(
        _ component: String, _ action: String, _ params: Value = .null, options: RequestOptions = RequestOptions(),
        completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        try requestAsync(.call, component, action, params, options, completion)
    }
}
