import Crosstie

/// Requests with objects of Codable types in place of values.
///
/// ```swift
/// struct Query: Codable { var id: Int }
/// struct Count: Codable { var inStock: Int }
/// let count = try bus.call("stock", "count", Query(id: 42)) as Count
/// ```
extension Bus {
    /// Calls an action of a component with an object, and returns its answer as another one.
    ///
    /// - Throws: as ``Crosstie/Bus/call(_:_:_:options:)``; the errors of ``Crosstie/Value/init(encoding:)`` for the
    ///   parameters, and of ``Crosstie/Value/decoded(as:)`` for the answer.
    @_disfavoredOverload
    public func call<Answer: Decodable>(
        _ component: String, _ action: String, _ params: some Encodable, options: RequestOptions = RequestOptions(),
        as type: Answer.Type = Answer.self
    ) throws(CrosstieError) -> Answer {
        let params = try Value(encoding: params)
        return try call(component, action, params, options: options).value.decoded(as: type)
    }

    /// Calls an action of a component, and returns its answer as an object.
    @_disfavoredOverload
    public func call<Answer: Decodable>(
        _ component: String, _ action: String, options: RequestOptions = RequestOptions(),
        as type: Answer.Type = Answer.self
    ) throws(CrosstieError) -> Answer {
        try call(component, action, .null, options: options).value.decoded(as: type)
    }

    /// Calls an action of a component with an object.
    @_disfavoredOverload
    @discardableResult
    public func call(
        _ component: String, _ action: String, _ params: some Encodable, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> Response {
        let params = try Value(encoding: params)
        return try call(component, action, params, options: options)
    }

    /// Calls a selector of a target with an object, and returns its answer as another one.
    @_disfavoredOverload
    public func perform<Answer: Decodable>(
        _ target: String, _ selector: String, _ params: some Encodable, options: RequestOptions = RequestOptions(),
        as type: Answer.Type = Answer.self
    ) throws(CrosstieError) -> Answer {
        let params = try Value(encoding: params)
        return try perform(target, selector, params, options: options).value.decoded(as: type)
    }

    /// Opens a URL, and returns its answer as an object.
    @_disfavoredOverload
    public func open<Answer: Decodable>(
        _ url: String, options: RequestOptions = RequestOptions(), as type: Answer.Type = Answer.self
    ) throws(CrosstieError) -> Answer {
        try open(url, options: options).value.decoded(as: type)
    }
}
