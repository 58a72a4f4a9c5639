import Crosstie

// `async` handlers of rules and callback slots. As with routes, a task of one may still be running when its removal has
// returned *ok*, and it cannot decline. Nil is set by the synchronous forms.
extension Bus {
    /// Registers an `async` handler of a rule. Arguments and errors are those of a synchronous handler.
    @discardableResult
    public func handleRule(
        _ id: String, isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler: @escaping AsyncHandler
    ) throws(CrosstieError) -> Registration {
        let started: Handler = HandlerTask.handler(handler)
        return try handleRule(id, isWorkerOnly: isWorkerOnly, interceptors: interceptors, handler: started)
    }

    /// Sets an `async` navigator: the handler of every rule that has none of its own.
    @discardableResult
    public func setNavigator(
        isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler: @escaping AsyncHandler
    ) throws(CrosstieError) -> Status {
        let started: Handler? = HandlerTask.handler(handler)
        return try setNavigator(isWorkerOnly: isWorkerOnly, interceptors: interceptors, handler: started)
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

    /// Sets an `async` system opener.
    @discardableResult
    public func setSystemOpener(
        isOn: Bool = true, servesRemote: Bool = false, schemes: [String] = [], handler: @escaping AsyncHandler
    ) throws(CrosstieError) -> Status {
        let started: Handler? = HandlerTask.handler(handler)
        return try setSystemOpener(isOn: isOn, servesRemote: servesRemote, schemes: schemes, handler: started)
    }

    /// Sets an `async` resolver of a prefix. A request that it refuses with *noTarget* or *noAction* does not reach the
    /// fallback.
    @discardableResult
    public func setResolver(
        of prefix: String, isWorkerOnly: Bool = false, interceptors: [Handler] = [],
        handler resolver: @escaping AsyncHandler
    ) throws(CrosstieError) -> Status {
        let started: Handler? = HandlerTask.handler(resolver)
        return try setResolver(
            of: prefix, isWorkerOnly: isWorkerOnly, interceptors: interceptors, handler: started)
    }

    /// Sets an `async` handler of performed targets that no resolver has found.
    @discardableResult
    public func setPerformerFallback(
        isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler fallback: @escaping AsyncHandler
    ) throws(CrosstieError) -> Status {
        let started: Handler? = HandlerTask.handler(fallback)
        return try setPerformerFallback(isWorkerOnly: isWorkerOnly, interceptors: interceptors, handler: started)
    }
}
