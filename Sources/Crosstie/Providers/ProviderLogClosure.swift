internal import CCrosstie

/// A Swift closure as a provider's log.
final class ProviderLogClosure: Sendable {
    private let body: @Sendable (String, String, String, Int32) -> Void

    init(_ body: @escaping @Sendable (String, String, String, Int32) -> Void) { self.body = body }

    /// Holds the closure until it is destroyed.
    var log: ProviderLog { ProviderLog(Self.call, CallbackContext(holding: self)) }

    private static let call: ctie_provider_logger_fn = { message, file, function, line, context in
        guard let closure = CallbackContext.object(context, as: ProviderLogClosure.self) else { return }
        closure.body(message.string, file.string, function.string, line)
    }
}
