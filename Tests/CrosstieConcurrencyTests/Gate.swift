import Synchronization

/// A gate at which tasks wait until somebody opens it.
final class Gate: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    func open() {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            guard case .closed(let waiting) = state else { return [] }
            state = .open
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Suspends until the gate is open, whether or not the task is cancelled.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard case .closed(let waiting) = state else { return true }
                state = .closed(waiting + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Suspends the task until it is cancelled.
func untilCancelled() async throws {
    while true { try await Task.sleep(for: .seconds(3600)) }
}

/// Things that closures put down.
final class Notes<Note: Sendable>: Sendable {
    private let notes = Mutex<[Note]>([])
    var all: [Note] { notes.withLock { $0 } }
    func add(_ note: Note) { notes.withLock { $0.append(note) } }
}
