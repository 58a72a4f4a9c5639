/// A Swift closure as a completion.
final class CompletionClosure: Sendable {
    private let body: @Sendable (Response) -> Void

    init(_ body: @escaping @Sendable (Response) -> Void) { self.body = body }

    /// Holds the closure until it is destroyed; for none there is nothing to hold.
    static func context(_ body: (@Sendable (Response) -> Void)?) -> CallbackContext {
        body.map { CallbackContext(holding: CompletionClosure($0)) } ?? CallbackContext(pointer: nil, destroy: nil)
    }

    static let call: CompletionFunction = { raw, context in
        guard let closure = CallbackContext.object(context, as: CompletionClosure.self),
            case .live(let block) = RequestBlock.response(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        closure.body(Response(block))
    }
}
