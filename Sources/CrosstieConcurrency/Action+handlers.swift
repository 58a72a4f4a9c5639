import Crosstie

extension Action {
    /// An action handled by an `async` closure.
    public init(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        handler: @escaping AsyncHandler
    ) {
        let started: Handler = HandlerTask.handler(handler)
        self.init(name, doc: doc, isEvent: isEvent, isWorkerOnly: isWorkerOnly, handler: started)
        isNonblocking = !isWorkerOnly
    }

    /// An action handled by an `async` method of the component's object.
    public init<Object: Component>(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        _ method: @escaping @Sendable (Object) -> AsyncHandler
    ) {
        let bound: @Sendable (Object) -> Handler = { object in HandlerTask.handler(method(object)) }
        self.init(name, doc: doc, isEvent: isEvent, isWorkerOnly: isWorkerOnly, bound)
        isNonblocking = !isWorkerOnly
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
        isNonblocking = !isWorkerOnly
    }
}
