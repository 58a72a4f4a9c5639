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
