/// An application bus: handlers register on it under patterns, and requests find them there.
///
/// Every method may be called from any thread, also inside a handler, but for waiting there for one's own
/// request. The bus closes when ``close()`` is called or its last reference goes.
public final class Bus: Sendable {
    package let handle: Handle

    private init(adopting handle: Handle) { self.handle = handle }

    /// Makes a bus.
    ///
    /// - Throws: *limit*, *invalid* or *url* for an option that is not allowed; *noMemory*.
    public convenience init(_ name: String = "", options: BusOptions = BusOptions()) throws(CrosstieError) {
        var options = options
        if !name.isEmpty { options.name = name }
        try options.check()
        self.init(adopting: try BusRecord.make(options))
    }

    /// The process's bus of a name, made if there is none: how parts in several languages meet. It closes
    /// when the last of its holders, in whatever language, lets go of it.
    ///
    /// - Throws: *invalid* for an empty name, *limit* for one over 128 bytes; *noMemory*.
    public static func shared(_ name: String) throws(CrosstieError) -> Bus {
        guard !name.isEmpty else { throw CrosstieError(.invalid, "a shared bus needs a name", at: "name") }
        try BusOptions(name: name).check()
        return Bus(adopting: try SharedBuses.get(name))
    }

    deinit { _ = BusRecord.releaseBus(handle) }

    /// Closes the bus for all its holders: nothing new starts, what runs is waited for, requests that are
    /// still open end with *closed*, every registration is removed. Inside a handler it returns at once
    /// with *pending*, and the closing follows the handler.
    @discardableResult
    public func close() -> Status { BusRecord.close(handle) }

    /// Sets where the bus logs; nil makes it silent. The closure may be called on any thread, several at
    /// a time.
    public func setLog(_ log: (@Sendable (LogLevel, String) -> Void)?) {
        guard let log else {
            _ = BusRecord.setLog(handle, nil)
            return
        }
        let context = CallbackContext(holding: LogClosure(log))
        _ = BusRecord.setLog(handle, RegistrationContent(log: LogClosure.call, context: context))
    }
}

extension Bus {
    /// Registers a handler for the URLs that match a pattern.
    ///
    /// What the closure returns is the answer. If it returns nil without having replied, declined or
    /// retained the request, the URL has been opened, with null. What it throws fails the request: a
    /// ``HandlerFailure`` with its code, anything else with code -1 and its description.
    ///
    /// - Parameters:
    ///   - pattern: `scheme://host/…`, or `/…` on a bus with a default scheme; see docs/urls.md.
    ///   - isPublic: whether remote origins may open it.
    ///   - replacing: whether it takes the place of a route of the same shape.
    ///   - remark: for listings.
    /// - Returns: the registration; the route stays until ``Registered/remove()`` or the bus closes.
    /// - Throws: *pattern*, *conflict*, *limit*, *handle* (the bus has closed), *noMemory*.
    @discardableResult
    public func route(
        _ pattern: String, isPublic: Bool = false, replacing: Bool = false, remark: String = "",
        handler: @escaping @Sendable (Request) throws -> Value?
    ) throws(CrosstieError) -> Registered {
        guard remark.utf8.count <= 1024 else { throw CrosstieError(.limit, "a remark has at most 1,024 bytes") }
        let content = RegistrationContent(
            isPublic: isPublic, handler: HandlerClosure.call, context: CallbackContext(holding: HandlerClosure(handler))
        )
        return try withBytes(of: pattern) { text throws(CrosstieError) in
            try withBytes(of: remark) { remark throws(CrosstieError) in
                Registered(
                    try BusRecord.addRoute(handle, pattern: text, remark: remark, replacing: replacing, content))
            }
        }
    }

    /// Removes the route of a pattern's shape; deeper routes stay.
    ///
    /// - Returns: *ok*, or *pending* inside a handler while the route's handler runs.
    /// - Throws: *notFound*, *pattern*, *handle*.
    @discardableResult
    public func removeRoute(_ pattern: String) throws(CrosstieError) -> Status {
        try withBytes(of: pattern) { text throws(CrosstieError) in
            try BusRecord.removeRoute(handle, pattern: text)
        }
    }

    /// The routes, in the byte order of their patterns.
    ///
    /// - Throws: *handle* (the bus has closed).
    public func routes() throws(CrosstieError) -> [Route] {
        try BusRecord.listRoutes(handle)
    }
}

/// A route as a listing tells of it.
public struct Route: Hashable, Sendable {
    public let pattern: String
    public let remark: String
    public let isPublic: Bool
}

/// Something registered on a bus.
public struct Registered: Sendable {
    package let handle: Handle

    init(_ handle: Handle) { self.handle = handle }

    /// Unregisters it. When this gives *ok* the handler is not running and never will; inside any handler it
    /// gives *pending* instead of waiting for one that runs.
    ///
    /// - Returns: *ok*, *pending*, or *handle* if it was gone already.
    @discardableResult
    public func remove() -> Status { BusRecord.release(handle) }
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
