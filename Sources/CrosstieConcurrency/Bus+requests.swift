import Crosstie

/// Requests that a task awaits. They run on workers of the bus and suspend the task, not a thread. Cancelling the
/// task cancels the request, which then throws *cancelled*.
extension Bus {
    /// Opens a URL.
    ///
    /// - Returns: the response of a successful request.
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @discardableResult
    public func open(
        _ url: String, origin: Origin = .local, userInfo: Value = .null, timeout: Duration? = nil,
        parent: Request? = nil, mode: MatchMode = .default, interceptors: [Handler] = []
    ) async throws(CrosstieError) -> Response {
        try await open(
            url,
            options: RequestOptions(
                origin: origin, userInfo: userInfo, timeout: timeout, parent: parent, mode: mode,
                interceptors: interceptors))
    }

    /// The same with every option.
    @discardableResult
    public func open(_ url: String, options: RequestOptions) async throws(CrosstieError) -> Response {
        try await response(to: .open(url), options)
    }

    /// Calls an action of a component.
    ///
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @discardableResult
    public func call(
        _ component: String, _ action: String, _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) async throws(CrosstieError) -> Response {
        try await response(to: .call(component, action, params), options)
    }

    /// Broadcasts an event to every component that has it, one after the other; a cancel stops before the next one.
    ///
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @discardableResult
    public func broadcast(
        _ event: String, _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) async throws(CrosstieError) -> BroadcastResult {
        let response = try await response(to: .broadcast(event, params), options)
        // The library's own answer can always be decoded.
        guard let result = BroadcastResult(response) else {
            throw CrosstieError(.wrongType, "the answer is no result of a broadcast")
        }
        return result
    }

    /// Calls a selector of a target.
    ///
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @discardableResult
    public func perform(
        _ target: String, _ selector: String = "", _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) async throws(CrosstieError) -> Response {
        try await response(to: .perform(target, selector, params), options)
    }

    /// Shares a message through the first provider that can.
    ///
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @discardableResult
    public func share(
        _ message: SharedMessage, to endpoint: Endpoint, options: RequestOptions = RequestOptions()
    ) async throws(CrosstieError) -> Response {
        try await response(to: .share(message, to: endpoint), options)
    }

    /// Signs in through the first provider that can.
    ///
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @discardableResult
    public func oauth(
        with platform: Platform, _ params: Value = .null, options: RequestOptions = RequestOptions()
    ) async throws(CrosstieError) -> Response {
        try await response(to: .oauth(with: platform, params), options)
    }

    /// Launches a program through the first provider that can.
    ///
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @discardableResult
    public func launch(
        _ program: Value, on platform: Platform, options: RequestOptions = RequestOptions()
    ) async throws(CrosstieError) -> Response {
        try await response(to: .launch(program, on: platform), options)
    }

    private func response(
        to subject: RequestSubject, _ options: RequestOptions
    ) async throws(CrosstieError) -> Response {
        let options = options.ofTask
        return try await CrosstieConcurrency.response { completion throws(CrosstieError) in
            try subject.begin(self, options, completion)
        }
    }
}
