extension Bus {
    /// Opens a URL: finds the most specific route or rule and runs its handler on this thread. A URL that none takes
    /// goes to the handler of unmatched URLs, or to the system opener.
    ///
    /// - Parameters:
    ///   - origin: `.remote` for anything that came from outside. Inside a handler of a remote request
    ///     everything is remote.
    ///   - userInfo: a map handed to the handler beside the URL, or null.
    ///   - timeout: how long to wait for a handler that answers later; nil for 2.5 seconds.
    ///   - parent: the request that this one is made for, which it is never more trusted than; by default the one
    ///     that this thread is handling. Only code that runs elsewhere, with a request it has retained, needs to say
    ///     so.
    ///   - mode: whether an ancestor may take what no route matches.
    ///   - interceptors: of this request alone, before the bus's; at most 64.
    /// - Returns: the response to a request that succeeded.
    /// - Throws: *handlerFailed* (the handler failed; see ``CrosstieError/response``), *invalidURL*, *unroutablePath*,
    ///   *invalidUTF8*, *limitExceeded*, *denied*, *invalidParameter* (of a rule), *noRoute*, *noTarget* (a rule
    ///   without a handler), *blocked*, *systemFailure* (the system opener), *timedOut*, *noReply*, *busy* (a
    ///   worker-only handler), *nestedTooDeeply*, *closed*, *wrongType* (userInfo), *invalidHandle* (also of the
    ///   parent).
    @discardableResult
    public func open(
        _ url: String, origin: Origin = .local, userInfo: Value = .null, timeout: Duration? = nil,
        parent: Request? = nil, mode: MatchMode = .default, interceptors: [Handler] = []
    ) throws(CrosstieError) -> Response {
        try open(
            url,
            options: RequestOptions(
                origin: origin, userInfo: userInfo, timeout: timeout, parent: parent,
                mode: mode, interceptors: interceptors))
    }

    /// The same with all that a caller may say.
    @discardableResult
    public func open(_ url: String, options: RequestOptions) throws(CrosstieError) -> Response {
        let outcome = try options.withSpec { spec, _ throws(CrosstieError) in
            try withBytes(of: url) { bytes throws(CrosstieError) in OpenKind.open(handle, bytes, spec, keeping: true) }
        }
        return try outcome.takeResponse()
    }

    /// Opens a URL on a worker of the bus and returns at once.
    ///
    /// - Parameter completion: runs exactly once if this succeeds, with the response.
    /// - Throws: *busy* (the queue is full), *invalidURL*, *unroutablePath*, *invalidUTF8*, *limitExceeded*, *wrongType*, *closed*, *invalidHandle*, *systemFailure*.
    @discardableResult
    public func openAsync(
        _ url: String, origin: Origin = .local, userInfo: Value = .null, parent: Request? = nil,
        mode: MatchMode = .default, interceptors: [Handler] = [], completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        try openAsync(
            url,
            options: RequestOptions(
                origin: origin, userInfo: userInfo, parent: parent, mode: mode, interceptors: interceptors),
            completion: completion)
    }

    /// The same with all that a caller may say.
    @discardableResult
    public func openAsync(
        _ url: String, options: RequestOptions, completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        let outcome = try options.withSpec { spec, _ throws(CrosstieError) in
            try withBytes(of: url) { bytes throws(CrosstieError) in
                OpenKind.openAsynchronously(
                    handle, bytes, spec, keeping: true, completion: completion.map { _ in CompletionClosure.call },
                    context: CompletionClosure.context(completion))
            }
        }
        return try outcome.takeCall()
    }

    /// Reports which handler would open a URL. No handler and no interceptor runs, a rule's parameters are checked; a
    /// malformed or denied URL has nobody.
    ///
    /// - Parameter anywhere: whether a peer counts that exports the URL, and would get it.
    public func canOpen(
        _ url: String, origin: Origin = .local, mode: MatchMode = .default, anywhere: Bool = false
    ) -> OpenedBy {
        let answer = try? withBytes(of: url) { bytes throws(CrosstieError) in
            OpenKind.canOpen(handle, bytes, isLocal: origin == .local, mode: mode, anywhere: anywhere)
        }
        return answer?.1 ?? .none
    }

    /// Delivers a URL to the first provider that claims it, without trying routes, rules and system opener.
    ///
    /// - Parameter options: with an origin of `.remote` only public providers get it.
    /// - Returns: false where none claims it; true where one has got it.
    /// - Throws: the failure that the provider answered; as ``open(_:options:)``.
    public func openByProvider(
        url: String, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Bool {
        let outcome = try options.withSpec { spec, _ throws(CrosstieError) in
            try withBytes(of: url) { bytes throws(CrosstieError) in OpenKind.claim(handle, bytes, spec) }
        }
        _ = try outcome?.takeResponse()
        return outcome != nil
    }
}
