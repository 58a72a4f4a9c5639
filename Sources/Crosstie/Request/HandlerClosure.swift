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
