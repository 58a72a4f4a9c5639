/// An application bus: handlers register on it under patterns, and requests find them there.
///
/// Every method may be called from any thread, also inside a handler, but for waiting there for one's own
/// request. The bus closes when ``close()`` is called or its last reference goes.
public final class Bus: Sendable {
    package let handle: Handle

    init(adopting handle: Handle) { self.handle = handle }

    deinit { _ = BusRecord.releaseBus(handle) }

    /// Closes the bus for all its holders: nothing new starts, what runs is waited for, requests that are
    /// still open end with *closed*, every registration is removed. When it returns every completion has run, on
    /// whichever thread; that of a request with a ``Loop`` is queued there. Inside a handler it returns at once with
    /// *pending*, and the closing follows the handler.
    @discardableResult
    public func close() -> Status { BusRecord.close(handle) }

    /// Sets where the bus logs; nil makes it silent. The closure may be called on any thread, several at
    /// a time.
    public func setLog(_ log: (@Sendable (LogLevel, String) -> Void)?) {
        let content = log.map {
            RegistrationContent(log: LogClosure.call, context: CallbackContext(holding: LogClosure($0)))
        }
        _ = try? BusRecord.set(.log, of: handle, to: content)
    }
}

extension Bus {
    /// Registers an interceptor that sees the requests of the bus, before they are matched.
    ///
    /// It lets a request go on by ``Request/proceed()`` or ``Request/rewrite(_:)``, or answers it as a handler does: by
    /// what it returns, replies or throws.
    ///
    /// - Parameters:
    ///   - order: lower ones see a request first; of equal ones, the elder.
    ///   - kinds: those whose requests it sees; empty for all.
    ///   - dispatcher: whose requests it sees, by name; empty for those of all.
    /// - Throws: *notFound* (no dispatcher of that name), *limitExceeded* (over 1,024), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func intercept(
        order: Int32 = 0, kinds: Set<RequestKind> = [], dispatcher: String = "", _ interceptor: @escaping Handler
    ) throws(CrosstieError) -> Registration {
        let scope = try InterceptorScope(kinds: kinds.reduce(0) { $0 | UInt32($1.bit) })
        return Registration(
            try BusRecord.addInterceptor(
                handle, position: order, scope, dispatcher: dispatcher, try RegistrationContent(interceptor)))
    }
}

/// Threads apart, for requests that must not wait behind others.
extension Bus {
    /// Adds a dispatcher, for as long as the bus lives; at most 63. No thread is started before its first request.
    ///
    /// - Throws: *conflict* (there is one of that name), *invalidIdentifier*, *limitExceeded*, *invalidArgument* (a number out of its range),
    ///   *invalidHandle*.
    public func addDispatcher(
        _ name: String, options: DispatcherOptions = DispatcherOptions()
    ) throws(CrosstieError) {
        try BusRecord.addDispatcher(handle, name, options)
    }

    /// Cancels every asynchronous request of a dispatcher that has not ended, queued or running.
    ///
    /// - Parameter dispatcher: empty for the default one.
    /// - Returns: how many were cancelled.
    /// - Throws: *notFound*, *invalidHandle*.
    @discardableResult
    public func cancelAll(dispatcher: String = "") throws(CrosstieError) -> Int {
        try BusRecord.cancelAll(handle, dispatcher: dispatcher)
    }
}

extension Bus {
    /// The counts of the bus since it was made: by kind, then by name.
    ///
    /// - Throws: *invalidArgument* (the bus keeps none: ``BusOptions/keepsStats``); *invalidHandle* (the bus has closed).
    public func stats() throws(CrosstieError) -> [RequestStats] { try BusRecord.stats(handle) }
}

extension BusRecord {
    package static func stats(_ handle: Handle) throws(CrosstieError) -> [RequestStats] {
        try withState(handle) { bus, _ throws(CrosstieError) in
            guard let meters = bus.pointee.meters else {
                throw CrosstieError(
                    .invalidArgument,
                    "the bus keeps no statistics: make it with CTIE_BUS_STATS (C), stats=True (Python), keepsStats (Swift)"
                )
            }
            return meters.stats
        }
    }
}

/// Runs `body` on the bytes of a string.
func withBytes<Result>(
    of text: String, _ body: (UnsafeRawBufferPointer) throws(CrosstieError) -> Result
) throws(CrosstieError) -> Result {
    var text = text
    // withUTF8 forwards any error; the result carries the typed one.
    return try text.withUTF8 { bytes in
        Swift.Result { () throws(CrosstieError) in try body(UnsafeRawBufferPointer(bytes)) }
    }.get()
}
