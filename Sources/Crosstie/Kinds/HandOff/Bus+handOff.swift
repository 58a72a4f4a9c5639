extension Bus {
    /// Shares a message by the first provider that can, and waits for its end: ten minutes at most, unless the options
    /// say otherwise.
    ///
    /// ```swift
    /// try bus.share(.text("hello"), to: .weiboTimeline)
    /// ```
    ///
    /// - Parameter options: its user info holds the provider's options beside the message, under ``OptionKey``s.
    /// - Throws: *noHandler* (no provider can); *notInstalled*, *unsupportedApp*, *unsupportedMessage*, *invalidParameter* (a field
    ///   of the message), checked in this order; *userCancelled*, *unknownAnswer*, *handlerFailed* (the provider failed); *denied*,
    ///   *timedOut*, *noReply*, *busy*, *deadlock*, *nestedTooDeeply*, *closed*, *limitExceeded*, *invalidArgument* (an empty endpoint), *invalidHandle*.
    @discardableResult
    public func share(
        _ message: SharedMessage, to endpoint: Endpoint, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Response {
        try request(.share, endpoint.rawValue, "", message.value, options.forPerson)
    }

    /// The same on a worker of the bus.
    ///
    /// - Parameter completion: runs exactly once if this succeeds, with the response.
    /// - Throws: *busy*, *limitExceeded*, *invalidArgument*, *notFound* (the dispatcher), *invalidHandle*, *systemFailure*, *outOfMemory*.
    @discardableResult
    public func shareAsync(
        _ message: SharedMessage, to endpoint: Endpoint, options: RequestOptions = RequestOptions(),
        completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        try requestAsync(.share, endpoint.rawValue, "", message.value, options.forPerson, completion)
    }

    /// Signs in by the first provider that can. The response's value is a map of texts under ``InfoKey``s, none empty.
    ///
    /// - Parameter params: the parameters for the provider: a map, or null.
    /// - Throws: as ``share(_:to:options:)``, without what is about messages; *wrongType* (params is no map).
    @discardableResult
    public func oauth(
        with platform: Platform, _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Response {
        try request(.oauth, platform.rawValue, "", params, options.forPerson)
    }

    /// The same on a worker of the bus.
    @discardableResult
    public func oauthAsync(
        with platform: Platform, _ params: Value = .null, options: RequestOptions = RequestOptions(),
        completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        try requestAsync(.oauth, platform.rawValue, "", params, options.forPerson, completion)
    }

    /// Launches a program by the first provider that can.
    ///
    /// - Parameter program: a map that the provider understands, or null.
    /// - Throws: as ``oauth(with:_:options:)``.
    @discardableResult
    public func launch(
        _ program: Value, on platform: Platform, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Response {
        try request(.launch, platform.rawValue, "", program, options)
    }

    /// The same on a worker of the bus.
    @discardableResult
    public func launchAsync(
        _ program: Value, on platform: Platform, options: RequestOptions = RequestOptions(),
        completion: (@Sendable (Response) -> Void)? = nil
    ) throws(CrosstieError) -> Call {
        try requestAsync(.launch, platform.rawValue, "", program, options, completion)
    }

    /// Gives a user activity to the first provider that claims it.
    ///
    /// - Parameter activity: a map: its type under `activityType`, a web page's URL under `webpageURL`, and what else
    ///   the application has to say.
    /// - Returns, Throws: as ``openByProvider(url:options:)``; *wrongType* (no map).
    public func openByProvider(
        activity: Value, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Bool {
        let outcome = try options.withSpec(activity) { spec, activity throws(CrosstieError) in
            try NamedRequest.offer(handle.pointer, activity: activity.pointer, spec)
        }
        _ = try outcome?.takeResponse()
        return outcome != nil
    }
}

extension RequestOptions {
    /// The same with a person's deadline, if they name none.
    fileprivate var forPerson: RequestOptions {
        var options = self
        options.timeout = timeout ?? .milliseconds(RequestSpec.personTimeoutMilliseconds)
        return options
    }
}
