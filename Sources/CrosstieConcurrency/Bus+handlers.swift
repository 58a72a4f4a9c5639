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
    /// - Parameters, Returns, Throws: as for a synchronous handler. After ``Registration/remove()`` has returned *ok*, a
    ///   task of the handler may still be running.
    @discardableResult
    public func route(
        _ pattern: String, name: String = "", rule: String = "", isPublic: Bool = false, isWorkerOnly: Bool = false,
        isReplacing: Bool = false, remark: String = "", interceptors: [Handler] = [], handler: @escaping AsyncHandler
    ) throws(CrosstieError) -> Registration {
        let started: Handler = HandlerTask.handler(handler)
        return try route(
            pattern, name: name, rule: rule, isPublic: isPublic, isWorkerOnly: isWorkerOnly, isReplacing: isReplacing,
            remark: remark, interceptors: interceptors, handler: started)
    }
}
