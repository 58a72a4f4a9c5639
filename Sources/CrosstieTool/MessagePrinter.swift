import CrosstieWormhole
import Synchronization

/// Prints messages on the thread that delivers them, until the limit is reached or stdout fails.
final class MessagePrinter: Sendable {
    private struct State {
        /// Nil for no limit.
        var lines: Int?
        var failure: (any Error)?

        var hasEnded: Bool { lines == 0 || failure != nil }
    }

    private let state: Mutex<State>

    init(lines: Int?) { state = Mutex(State(lines: lines)) }

    /// Prints a message, unless the limit is reached. The last one signals ``Interruption``.
    func print(_ message: Message) throws {
        try state.withLock { state in
            guard !state.hasEnded else { throw Refusal("there were lines enough") }
            defer { if state.hasEnded { Interruption.come() } }
            do {
                try Output.json(message.map)
                state.lines = state.lines.map { $0 - 1 }
            } catch {
                state.failure = error
                throw error
            }
        }
    }

    /// Whether nothing more is printed.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The reason why stdout failed.
    var failure: (any Error)? { state.withLock { $0.failure } }
}

extension Message {
    /// The output for people and programs. A value that has no JSON form is left out and reported under `error`.
    var map: ValueMap {
        var map = ValueMap([
            ("kind", .string("\(kind)")),
            ("identifier", .string(identifier)),
            ("sequence", .int(Int64(clamping: sequence))),
            ("time", .int(time)),
            ("sender", .map(ValueMap([("pid", .int(Int64(senderPID))), ("name", .string(senderName))]))),
        ])
        if missed > 0 { map["missed"] = .int(Int64(clamping: missed)) }
        if deliveryCount > 0 { map["delivery_count"] = .int(Int64(deliveryCount)) }
        if !reason.isEmpty { map["reason"] = .string(reason) }
        if !headers.isEmpty { map["headers"] = Output.headers(headers) }
        if expires > 0 { map["expires"] = .int(expires) }
        do throws(CrosstieError) {
            guard status.isSuccess else { throw CrosstieError(status, status.message) }
            _ = try value?.json()
            map["value"] = value
        } catch {
            map["error"] = .string(error.description)
        }
        return map
    }
}
