import Crosstie
import CrosstieCodable

/// Requests with objects of Codable types that a task awaits.
extension Bus {
    /// Calls an action of a component with an object, and returns its answer as another one.
    ///
    /// ```swift
    /// let count = try await bus.call("stock", "count", Query(id: 42)) as Count
    /// ```
    ///
    /// - Throws: *cancelled*, *busy* (the queue is full), and as the form that does not suspend.
    @_disfavoredOverload
    public func call<Answer: Decodable>(
        _ component: String, _ action: String, _ params: some Encodable, options: RequestOptions = RequestOptions(),
        as type: Answer.Type = Answer.self
    ) async throws(CrosstieError) -> Answer {
        let params = try Value(encoding: params)
        return try await call(component, action, params, options: options).value.decoded(as: type)
    }

    /// Calls an action of a component, and returns its answer as an object.
    @_disfavoredOverload
    public func call<Answer: Decodable>(
        _ component: String, _ action: String, options: RequestOptions = RequestOptions(),
        as type: Answer.Type = Answer.self
    ) async throws(CrosstieError) -> Answer {
        try await call(component, action, .null, options: options).value.decoded(as: type)
    }

    /// Calls an action of a component with an object.
    @_disfavoredOverload
    @discardableResult
    public func call(
        _ component: String, _ action: String, _ params: some Encodable, options: RequestOptions = RequestOptions()
    ) async throws(CrosstieError) -> Response {
        let params = try Value(encoding: params)
        return try await call(component, action, params, options: options)
    }

    /// Calls a selector of a target with an object, and returns its answer as another one.
    @_disfavoredOverload
    public func perform<Answer: Decodable>(
        _ target: String, _ selector: String, _ params: some Encodable, options: RequestOptions = RequestOptions(),
        as type: Answer.Type = Answer.self
    ) async throws(CrosstieError) -> Answer {
        let params = try Value(encoding: params)
        return try await perform(target, selector, params, options: options).value.decoded(as: type)
    }

    /// Opens a URL, and returns its answer as an object.
    @_disfavoredOverload
    public func open<Answer: Decodable>(
        _ url: String, options: RequestOptions = RequestOptions(), as type: Answer.Type = Answer.self
    ) async throws(CrosstieError) -> Answer {
        try await open(url, options: options).value.decoded(as: type)
    }
}

extension Action {
    /// An action that takes an object, may suspend, and replies with another object.
    @_disfavoredOverload
    public init<Arguments: Decodable & Sendable, Answer: Encodable & SendableMetatype>(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        handler: @escaping @Sendable (Arguments) async throws -> Answer
    ) {
        let converting: AsyncHandler = { request in
            try Value(encoding: try await handler(try request.arguments()))
        }
        self.init(name, doc: doc, isEvent: isEvent, isWorkerOnly: isWorkerOnly, handler: converting)
    }
}
