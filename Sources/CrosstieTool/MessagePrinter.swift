import Crosstie
import Glibc
import Synchronization

/// Prints messages on the thread they come on, until there were enough or stdout fails.
final class MessagePrinter: @unchecked Sendable {
    private struct State {
        /// Nil for no end.
        var lines: Int?
        var failure: (any Error)?

        var hasEnded: Bool { lines == 0 || failure != nil }
    }

    private let state: Mutex<State>
    private let end: UnsafeMutablePointer<sem_t>

    init(lines: Int?) {
        state = Mutex(State(lines: lines))
        end = .allocate(capacity: 1)
        sem_init(end, 0, 0)
    }

    deinit {
        sem_destroy(end)
        end.deallocate()
    }

    /// False when it has not been printed.
    func print(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.hasEnded else { return false }
            do {
                try Output.json(message.map)
                state.lines = state.lines.map { $0 - 1 }
            } catch {
                state.failure = error
            }
            if state.hasEnded { sem_post(end) }
            return state.failure == nil
        }
    }

    /// Returns when nothing more will be printed.
    func wait() {
        while sem_wait(end) != 0 {}
    }

    /// Why stdout failed.
    var failure: (any Error)? { state.withLock { $0.failure } }
}

extension Message {
    /// For people and programs. A value that has no JSON form is left out, and `error` says so.
    var map: ValueMap {
        var map = ValueMap([
            ("kind", .string("\(kind)")),
            ("identifier", .string(identifier)),
            ("sequence", .int(Int64(clamping: sequence))),
            ("time", .int(time)),
            ("sender", .map(ValueMap([("pid", .int(Int64(senderPID))), ("name", .string(senderName))]))),
        ])
        if missed > 0 { map["missed"] = .int(Int64(clamping: missed)) }
        if delivery > 0 { map["delivery"] = .int(Int64(delivery)) }
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
