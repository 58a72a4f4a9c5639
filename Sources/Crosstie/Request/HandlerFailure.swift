/// An error that a handler throws to fail a request with a code of the application's own.
public struct HandlerFailure: Error, Sendable {
    public let code: Int32
    public let message: String
    public let value: Value

    public init(code: Int32, message: String, value: Value = .null) {
        self.code = code
        self.message = message
        self.value = value
    }
}
