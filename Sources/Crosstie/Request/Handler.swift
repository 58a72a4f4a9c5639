/// A handler, or an interceptor: its result is the answer; nil leaves the request as the closure has left it.
public typealias Handler = @Sendable (Request) throws -> Value?

extension Request {
    /// Runs a handler: its result or error ends the request.
    func handle(by handler: Handler) {
        do {
            if let value = try handler(self) { try reply(value) }
        } catch {
            fail(for: error)
        }
    }

    /// Ends the request as a handler that has thrown.
    package func fail(for error: any Error) {
        switch error {
        case let failure as HandlerFailure:
            try? fail(failure)
        case let error as CrosstieError where error.status == .handlerFailed:
            // The response of a request made inside this one gives the reason.
            let response = error.response
            try? fail(
                HandlerFailure(
                    code: response?.code ?? -1, message: error.message, value: response?.value ?? .null))
        default:
            try? fail(HandlerFailure(code: -1, message: "\(error)"))
        }
    }

    /// Ends a request that was kept as its handler's return would have.
    ///
    /// - Throws: what the value is refused for.
    package func end(with value: Value?) throws(CrosstieError) {
        if let value {
            try reply(value)
        } else if kind.takesSilenceForSuccess, !hasEnded {
            try? reply(.null)
        }
    }
}

extension RegistrationContent {
    /// A Swift handler's.
    ///
    /// - Throws: *limitExceeded* for too many interceptors.
    init(
        _ handler: @escaping Handler, isWorkerOnly: Bool = false, interceptors: [Handler] = []
    ) throws(CrosstieError) {
        let own = try Interceptor.all(interceptors)
        self.init(handler: HandlerClosure.call, context: HandlerClosure(handler).context)
        if isWorkerOnly { traits.insert(.workerOnly) }
        self.interceptors = own
    }
}

extension Interceptor {
    /// Those of Swift closures.
    static func all(_ closures: [Handler]) throws(CrosstieError) -> [Interceptor] {
        guard closures.count <= InterceptorChain.maximumCount else {
            throw CrosstieError(.limitExceeded, "there are more than \(InterceptorChain.maximumCount) interceptors")
        }
        return closures.map { Interceptor(HandlerClosure.call, context: HandlerClosure($0).context) }
    }
}
