internal import CCrosstie

/// A handler, or an interceptor: what it returns is the answer; nil leaves the request as the closure has left it.
public typealias Handler = @Sendable (Request) throws -> Value?

/// A Swift closure as a handler.
final class HandlerClosure: Sendable {
    private let body: Handler

    init(_ body: @escaping Handler) { self.body = body }

    /// Holds this closure until it is destroyed.
    var context: CallbackContext { CallbackContext(holding: self) }

    static let call: HandlerFunction = { raw, context in
        guard let closure = CallbackContext.object(context, as: HandlerClosure.self) else { return }
        Request(Handle(bits: UInt(bitPattern: raw))).handle(by: closure.body)
    }
}

extension Request {
    /// Runs a handler: what it returns or throws ends the request.
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
            // Of a request made inside this one: whoever failed there says why.
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

/// A Swift closure as a completion.
final class CompletionClosure: Sendable {
    private let body: @Sendable (Response) -> Void

    init(_ body: @escaping @Sendable (Response) -> Void) { self.body = body }

    /// Holds the closure until it is destroyed; for none there is nothing to hold.
    static func context(_ body: (@Sendable (Response) -> Void)?) -> CallbackContext {
        body.map { CallbackContext(holding: CompletionClosure($0)) } ?? CallbackContext(pointer: nil, destroy: nil)
    }

    static let call: CompletionFunction = { raw, context in
        guard let closure = CallbackContext.object(context, as: CompletionClosure.self),
            case .live(let block) = RequestBlock.response(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        closure.body(Response(block))
    }
}

/// A Swift closure as a log.
final class LogClosure: Sendable {
    private let body: @Sendable (LogLevel, String) -> Void

    init(_ body: @escaping @Sendable (LogLevel, String) -> Void) { self.body = body }

    static let call: LogFunction = { level, text, context in
        guard let closure = CallbackContext.object(context, as: LogClosure.self) else { return }
        let bytes = UnsafeRawBufferPointer(start: text.data, count: text.size)
        closure.body(LogLevel(rawValue: level) ?? .error, String(decoding: bytes, as: UTF8.self))
    }
}
