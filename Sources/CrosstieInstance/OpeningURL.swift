/// A URL that the first instance opens on a worker of its bus: the context of the request's completion.
final class OpeningURL: Sendable {
    private let done: @Sendable (HandedURL) -> Void

    private init(_ done: @escaping @Sendable (HandedURL) -> Void) { self.done = done }

    /// Opens a URL, or broadcasts the activation without one. Returns the reason if no request was started; otherwise
    /// `done` is called with the answer, which has no URL.
    static func start(
        _ handed: Handed, on bus: Handle, dispatcher: String, done: @escaping @Sendable (HandedURL) -> Void
    ) -> CrosstieError? {
        do throws(CrosstieError) {
            let outcome = try handed.withSpec(dispatcher: dispatcher) { spec throws(CrosstieError) in
                try submit(handed, spec, bus, CallbackContext(holding: OpeningURL(done)))
            }
            guard outcome.status != .ok else { return nil }
            let error = outcome.block.map { outcome.refusal(of: $0) } ?? outcome.error
            outcome.block?.drop()
            return error
        } catch {
            return error
        }
    }

    private static func submit(
        _ handed: Handed, _ given: RequestSpec, _ bus: Handle, _ context: CallbackContext
    ) throws(CrosstieError) -> Outcome {
        var spec = given
        spec.timeoutMilliseconds = handed.timeLeft
        guard !handed.url.isEmpty else {
            return try EventKind.start(
                bus, Event.activate, .null, spec, keeping: false, completion: complete, context: context)
        }
        var url = handed.url
        return url.withUTF8 {
            OpenKind.openAsynchronously(
                bus, UnsafeRawBufferPointer($0), spec, keeping: false, completion: complete, context: context)
        }
    }

    private static let complete: CompletionFunction = { raw, context in
        guard let opening = CallbackContext.object(context, as: OpeningURL.self),
            case .live(let block) = RequestBlock.response(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        opening.done(HandedURL("", Response(block)))
    }
}
