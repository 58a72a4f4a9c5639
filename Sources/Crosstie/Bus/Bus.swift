/// An application bus: handlers register on it under patterns, and requests find them there.
///
/// Every method may be called from any thread, also inside a handler, but for waiting there for one's own
/// request. The bus closes when ``close()`` is called or its last reference goes.
public final class Bus: Sendable {
    package let handle: Handle

    private init(adopting handle: Handle) { self.handle = handle }

    /// Makes a bus.
    ///
    /// - Throws: *limitExceeded*, *invalidArgument* or *invalidURL* for an option that is not allowed; *outOfMemory*.
    public convenience init(_ name: String = "", options: BusOptions = BusOptions()) throws(CrosstieError) {
        var options = options
        if !name.isEmpty { options.name = name }
        try options.check()
        self.init(adopting: try BusRecord.make(options))
    }

    /// The process's bus of a name, made if there is none: parts in several languages meet there. It closes
    /// when the last of its holders, in whatever language, releases it.
    ///
    /// - Throws: *invalidArgument* for an empty name, *limitExceeded* for one over 128 bytes; *outOfMemory*.
    public static func shared(_ name: String) throws(CrosstieError) -> Bus {
        guard !name.isEmpty else { throw CrosstieError(.invalidArgument, "a shared bus needs a name", at: "name") }
        try BusOptions(name: name).check()
        return Bus(adopting: try SharedBuses.get(name))
    }

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
