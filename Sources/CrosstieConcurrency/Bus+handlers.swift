import Crosstie

extension Bus {
    /// Registers an `async` handler for the URLs that match a pattern.
    ///
    /// ```swift
    /// try bus.route("app://users/:id") { request in
    ///     .string(try await database.name(of: request["id"] ?? ""))
    /// }
    /// ```
    ///
    /// - Parameters, Returns, Throws: as for a synchronous handler. After ``Registered/remove()`` has returned *ok*, a
    ///   task of the handler may still be running.
    @discardableResult
    public func route(
        _ pattern: String, name: String = "", rule: String = "", isPublic: Bool = false, isWorkerOnly: Bool = false,
        replacing: Bool = false, remark: String = "", interceptors: [Handler] = [], handler: @escaping AsyncHandler
    ) throws(CrosstieError) -> Registered {
        let started: Handler = HandlerTask.handler(handler)
        return try route(
            pattern, name: name, rule: rule, isPublic: isPublic, isWorkerOnly: isWorkerOnly, replacing: replacing,
            remark: remark, interceptors: interceptors, handler: started)
    }

    /// Sets an `async` handler for unmatched URLs.
    @discardableResult
    public func setUnmatched(
        isPublic: Bool = false, isWorkerOnly: Bool = false, interceptors: [Handler] = [],
        handler: @escaping AsyncHandler
    ) throws(CrosstieError) -> Status {
        let started: Handler? = HandlerTask.handler(handler)
        return try setUnmatched(
            isPublic: isPublic, isWorkerOnly: isWorkerOnly, interceptors: interceptors, handler: started)
    }
}

extension Action {
    /// An action handled by an `async` closure.
    public init(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        handler: @escaping AsyncHandler
    ) {
        let started: Handler = HandlerTask.handler(handler)
        self.init(name, doc: doc, isEvent: isEvent, isWorkerOnly: isWorkerOnly, handler: started)
    }

    /// An action handled by an `async` method of the component's object.
    public init<Object: Component>(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        _ method: @escaping @Sendable (Object) -> AsyncHandler
    ) {
        let bound: @Sendable (Object) -> Handler = { object in HandlerTask.handler(method(object)) }
        self.init(name, doc: doc, isEvent: isEvent, isWorkerOnly: isWorkerOnly, bound)
    }

    /// An action handled by a closure with the component's object, which may be an actor.
    ///
    /// ```swift
    /// actor Stock: Component {
    ///     static var actions: [Action] { [Action("count", of: Stock.self) { stock, _ in .int(await stock.count) }] }
    ///     var count: Int64 = 7
    /// }
    /// ```
    public init<Object: Component>(
        _ name: String, of type: Object.Type, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        handler: @escaping @Sendable (Object, Request) async throws -> Value?
    ) {
        let bound: @Sendable (Object) -> Handler = { object in
            HandlerTask.handler { request in try await handler(object, request) }
        }
        self.init(name, doc: doc, isEvent: isEvent, isWorkerOnly: isWorkerOnly, bound)
    }
}
