/// A Swift closure that receives a request's progress.
final class ProgressClosure: Sendable {
    private let body: @Sendable (Value) -> Void

    private init(_ body: @escaping @Sendable (Value) -> Void) { self.body = body }

    /// Makes a listener of a closure.
    static func listener(_ body: @escaping @Sendable (Value) -> Void) -> ProgressListener {
        ProgressListener(call, CallbackContext(holding: ProgressClosure(body)))
    }

    private static let call: ProgressFunction = { raw, context in
        guard let closure = CallbackContext.object(context, as: ProgressClosure.self), let value = ValueRef(raw) else {
            return
        }
        closure.body(Value(borrowing: value))
    }
}
