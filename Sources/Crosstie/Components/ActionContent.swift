/// An action as it is registered: a handler under a name.
package struct ActionContent {
    package var name: String
    package var doc = ""
    package var handler: HandlerFunction
    /// The handler's user data; nil for the component's own.
    package var userData: UnsafeMutableRawPointer?
    /// Whether it handles the event of its name.
    package var isEvent = false
    package var isWorkerOnly = false
    /// Whether a call that may have run may run again.
    package var isIdempotent = false
    /// Whether its handler returns at once, so that an asynchronous call may run it on the caller's thread.
    package var isNonblocking = false

    package init(name: String, handler: @escaping HandlerFunction, userData: UnsafeMutableRawPointer? = nil) {
        self.name = name
        self.handler = handler
        self.userData = userData
    }
}
