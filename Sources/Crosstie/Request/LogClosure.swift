internal import CCrosstie

/// A Swift closure as a log.
final class LogClosure: Sendable {
    private let body: @Sendable (LogLevel, String) -> Void

    init(_ body: @escaping @Sendable (LogLevel, String) -> Void) { self.body = body }

    static let call: LogFunction = { level, text, context in
        guard let closure = CallbackContext.object(context, as: LogClosure.self) else { return }
        let bytes = UnsafeRawBufferPointer(start: text.data, count: text.size)
        closure.body(LogLevel(rawValue: level) ?? .error, String(decoding: bytes, as: UTF8.self))
    }
}
