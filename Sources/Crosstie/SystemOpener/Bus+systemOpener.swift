extension Bus {
    /// Sets the bus's system opener, and the schemes that it may open.
    ///
    /// - Parameters:
    ///   - isOn: whether anything goes to it.
    ///   - servesRemote: whether it opens for remote origins, too.
    ///   - schemes: the schemes that it opens besides http and https; at most 64.
    ///   - program: the program to start; a name is looked for on the PATH.
    ///   - handler: opens instead of the program; nil for the program.
    /// - Returns: *ok*, or *pending* while the handler before is running inside a handler.
    /// - Throws: *invalidURL* (a scheme), *limitExceeded*, *invalidArgument* (the program), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func setSystemOpener(
        isOn: Bool = true, servesRemote: Bool = false, schemes: [String] = [], program: String = "xdg-open",
        handler: Handler? = nil
    ) throws(CrosstieError) -> Status {
        var policy = SystemOpenerPolicy()
        (policy.isOff, policy.servesRemote) = (!isOn, servesRemote)
        (policy.schemes, policy.program) = (schemes, program)
        try policy.check()
        let content = handler.map {
            RegistrationContent(handler: HandlerClosure.call, context: HandlerClosure($0).context)
        }
        return try BusRecord.setSystemOpener(handle, policy, content)
    }
}
