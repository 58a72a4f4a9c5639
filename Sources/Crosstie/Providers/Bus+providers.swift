extension Bus {
    /// Puts a provider into the bus's list: before a position, or at the end. Its capabilities are read now.
    ///
    /// - Returns: the registration; the provider stays until ``Registration/remove()``, until it is removed otherwise, or
    ///   until the bus closes.
    /// - Throws: *invalidIdentifier* (its name), *invalidArgument* (it adopts no capability), *conflict* (there is one
    ///   of that name), *invalidURL* (its app id or universal link), *limitExceeded*, *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func addProvider(_ provider: any Provider, at position: Int = .max) throws(CrosstieError) -> Registration {
        Registration(try BusRecord.addProvider(handle, SwiftProvider.content(provider), at: max(position, 0)))
    }

    /// Replaces all providers by others: an operation is asked of the ones or of the others.
    ///
    /// - Returns: *ok*, or *pending* inside a handler while one of those before is running.
    /// - Throws: as ``addProvider(_:at:)``; nothing has changed then.
    @discardableResult
    public func setProviders(_ providers: [any Provider]) throws(CrosstieError) -> Status {
        try BusRecord.setProviders(handle, providers.map(SwiftProvider.content))
    }

    /// Moves a provider to another position, or to the end.
    ///
    /// - Throws: *notFound*, *invalidHandle*.
    public func moveProvider(named name: String, to position: Int) throws(CrosstieError) {
        try BusRecord.moveProvider(handle, named: name, to: max(position, 0))
    }

    /// Removes a provider. Outside handlers it is not running when this returns.
    ///
    /// - Returns: *ok*, or *pending* inside a handler.
    /// - Throws: *notFound*, *invalidHandle*.
    @discardableResult
    public func removeProvider(named name: String) throws(CrosstieError) -> Status {
        try BusRecord.removeProvider(handle, named: name)
    }

    /// The providers, in their order.
    ///
    /// - Throws: *invalidHandle* (the bus has closed).
    public func providers() throws(CrosstieError) -> [ProviderDescription] { try BusRecord.listProviders(handle) }

    /// Logs for a provider: where its owner sends it, else to the bus's log, with its name before it.
    ///
    /// - Parameter message: at most 65,536 bytes.
    /// - Throws: *notFound*, *limitExceeded*, *invalidHandle*.
    public func log(
        _ message: String, by provider: String, file: StaticString = #fileID, function: StaticString = #function,
        line: Int32 = #line
    ) throws(CrosstieError) {
        guard message.utf8.count <= ProviderLogLine.maximumSize else {
            throw CrosstieError(.limitExceeded, "a message is over 65536 bytes", at: "message")
        }
        try withBytes(of: message) { message throws(CrosstieError) in
            try BusRecord.writeForProvider(
                handle, named: provider,
                ProviderLogLine(message, file: file.bytes, function: function.bytes, line: line))
        }
    }

    /// Redirects the log of a provider: a message, a file, a function and a line. Nil: to the bus's log.
    ///
    /// - Returns: *ok*, or *pending* inside a handler while the one before is running.
    /// - Throws: *notFound*, *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func setLog(
        of provider: String, _ log: (@Sendable (String, String, String, Int32) -> Void)?
    ) throws(CrosstieError) -> Status {
        try BusRecord.setProviderLog(handle, named: provider, log.map { ProviderLogClosure($0).log.content })
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeRawBufferPointer {
        hasPointerRepresentation ? UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount) : .empty
    }
}
