extension Bus {
    /// Runs an event over every component that handles it, by priority, then by name. One that fails does not stop the
    /// rest.
    ///
    /// - Parameters:
    ///   - event: an action's name; see ``Event``.
    ///   - options: its deadline is for each component.
    /// - Throws: *invalidIdentifier* or *noName* (the event), *wrongType*, *nestedTooDeeply*, *limitExceeded*, *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func broadcast(
        _ event: String, _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> BroadcastResult {
        try options.withSpec(params) { spec, params throws(CrosstieError) in
            try withBytes(of: event) { event throws(CrosstieError) in
                try BusRecord.broadcast(handle, event, params, spec)
            }
        }
    }

    /// The same on a worker, and returns at once. The components handle it one after the other; a cancel stops before
    /// the next one.
    ///
    /// - Parameters:
    ///   - options: its deadline, of 60 seconds by default, is for the whole; its dispatcher is the bus's default one
    ///     unless it is named.
    ///   - completion: runs exactly once if this succeeds; ``BroadcastResult/init(_:)`` reads the response.
    /// - Throws: *invalidIdentifier* or *noName* (the event), *busy* (the queue is full), *notFound* (the dispatcher), *wrongType*,
    ///   *limitExceeded*, *invalidHandle*, *systemFailure*, *outOfMemory*.
    @discardableResult
    public func broadcastAsync(
        _ event: String, _ params: Value = .null, options: RequestOptions = RequestOptions(),
        completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        let outcome = try options.withSpec(params) { spec, params throws(CrosstieError) in
            try EventKind.start(
                handle, event, params, spec, keeping: true, completion: completion.map { _ in CompletionClosure.call },
                context: CompletionClosure.context(completion))
        }
        return try outcome.takeCall()
    }
}
