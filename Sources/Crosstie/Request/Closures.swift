internal import CCrosstie

/// A Swift closure as a handler.
final class HandlerClosure: Sendable {
    private let body: @Sendable (Request) throws -> Value?

    init(_ body: @escaping @Sendable (Request) throws -> Value?) { self.body = body }

    static let call: HandlerFunction = { raw, context in
        guard let closure = CallbackContext.object(context, as: HandlerClosure.self) else { return }
        closure.handle(Request(Handle(bits: UInt(bitPattern: raw))))
    }

    private func handle(_ request: Request) {
        do {
            if let value = try body(request) { try request.reply(value) }
        } catch let failure as HandlerFailure {
            try? request.fail(failure)
        } catch {
            try? request.fail(HandlerFailure(code: -1, message: "\(error)"))
        }
    }
}

/// A Swift closure as a completion.
final class CompletionClosure: Sendable {
    private let body: @Sendable (Response) -> Void

    init(_ body: @escaping @Sendable (Response) -> Void) { self.body = body }

    static let call: CompletionFunction = { raw, context in
        guard let closure = CallbackContext.object(context, as: CompletionClosure.self),
            case .live(let block) = RequestBlock.response(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        closure.body(Response(block))
    }
}

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
