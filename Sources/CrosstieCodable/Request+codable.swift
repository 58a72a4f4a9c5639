import Crosstie

extension Request {
    /// The caller's arguments as an object; for a URL its parameters, in which numbers and booleans are texts.
    ///
    /// ```swift
    /// Action("count") { request in
    ///     let query = try request.arguments(as: Query.self)
    ///     return try Value(encoding: Count(inStock: stock[query.id]))
    /// }
    /// ```
    ///
    /// - Throws: as ``Crosstie/Value/decoded(as:)``.
    public func arguments<Arguments: Decodable>(
        as type: Arguments.Type = Arguments.self
    ) throws(CrosstieError) -> Arguments {
        let given = params
        return try (given.isNull ? .map(ValueMap()) : given).decoded(as: type, readsText: kind == .open)
    }

    /// Ends the request with success and an object.
    ///
    /// - Throws: as ``Crosstie/Request/reply(_:)``; the errors of ``Crosstie/Value/init(encoding:)``.
    @_disfavoredOverload
    public func reply(_ answer: some Encodable) throws(CrosstieError) { try reply(Value(encoding: answer)) }
}

extension Action {
    /// An action that takes an object and replies with another one.
    ///
    /// ```swift
    /// Action("count") { (query: Query) in Count(inStock: stock[query.id]) }
    /// ```
    @_disfavoredOverload
    public init<Arguments: Decodable & SendableMetatype, Answer: Encodable & SendableMetatype>(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        handler: @escaping @Sendable (Arguments) throws -> Answer
    ) {
        let converting: Handler = { request in try Value(encoding: try handler(try request.arguments())) }
        self.init(name, doc: doc, isEvent: isEvent, isWorkerOnly: isWorkerOnly, handler: converting)
    }
}
