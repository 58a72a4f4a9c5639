/// Actions of a handler or an interceptor on the request's way.
extension Request {
    /// Reports progress to the caller's closure, if it has one: any number of times before the request ends. The
    /// closure runs inside this call, unless the caller named a loop.
    ///
    /// - Throws: *alreadyDone* (the request has ended); *invalidHandle*; the reason for which a value is refused.
    public func progress(_ value: Value) throws(CrosstieError) {
        try Request.check(RequestBlock.progress(handle, try value.makeRef()))
    }

    /// Runs a closure when the request ends by a cancel, its deadline or its bus's closing, on the thread that ends it;
    /// at once if it has.
    ///
    /// - Throws: *alreadyDone* (the request has ended in another way); *limitExceeded* (over 64); *invalidHandle*.
    public func onCancel(_ body: @escaping @Sendable () -> Void) throws(CrosstieError) {
        let context = CallbackContext(holding: NotifyClosure(body))
        try Request.check(RequestBlock.onCancel(handle, NotifyClosure.call, context))
    }

    /// Shows a closure the response on its way back, before the caller has it. The one added last runs first, on the
    /// thread that ends the request; it must not wait.
    ///
    /// - Throws: *alreadyDone* (the request has ended); *limitExceeded* (over 64); *invalidHandle*.
    public func onReturn(_ body: @escaping @Sendable (ReturningResponse) -> Void) throws(CrosstieError) {
        let context = CallbackContext(holding: ReturnClosure(body))
        try Request.check(RequestBlock.onReturn(handle, ReturnClosure.call, context))
    }

    /// In an interceptor: replaces the parameters for the stages after it; for a URL they come beside the URL's,
    /// as ``arguments``.
    ///
    /// - Parameter value: a map, null, or an object with the plain form of a map.
    /// - Throws: *wrongType* (no map); *invalidArgument* (no interceptor has the request); *alreadyDone* (it went on, or has ended);
    ///   *limitExceeded* (the 65th time for one request); *invalidHandle*.
    public func setParams(_ value: Value) throws(CrosstieError) {
        try RequestBlock.setParams(handle, try value.makeRef())
    }

    /// In an interceptor: replaces the user info. As ``setParams(_:)``.
    public func setUserInfo(_ value: Value) throws(CrosstieError) {
        try RequestBlock.setUserInfo(handle, try value.makeRef())
    }

    /// The parameters of the caller or of an interceptor: a map, an object of Swift, or null.
    public var arguments: Value {
        guard case .live(let block) = RequestBlock.request(handle) else { return .null }
        return Value(borrowing: block.swiftParams)
    }
}

/// A Swift closure that is notified of a cancel.
private final class NotifyClosure: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static let call: NotifyFunction = { CallbackContext.object($0, as: NotifyClosure.self)?.body() }
}

/// A Swift closure that sees a response on its way back.
private final class ReturnClosure: Sendable {
    private let body: @Sendable (ReturningResponse) -> Void

    init(_ body: @escaping @Sendable (ReturningResponse) -> Void) { self.body = body }

    static let call: CompletionFunction = { raw, context in
        guard let closure = CallbackContext.object(context, as: ReturnClosure.self),
            case .live(let block) = RequestBlock.response(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        closure.body(ReturningResponse(block))
    }
}
