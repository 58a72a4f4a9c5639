import Crosstie
import CrosstieWormhole
import Synchronization

/// The messages between a listener and the task that reads them.
final class MessageBuffer: Sendable {
    private struct State {
        var messages: PendingMessages
        var waiting: CheckedContinuation<Message?, Never>?
        var isOver = false

        mutating func takeWaiting() -> CheckedContinuation<Message?, Never>? {
            defer { waiting = nil }
            return waiting
        }
    }

    private let state: Mutex<State>

    /// - Parameter onlyNewest: whether a message replaces an unread one of the same identifier.
    init(onlyNewest: Bool) {
        state = Mutex(State(messages: onlyNewest ? .newest(NewestMessages()) : .all([])))
    }

    /// Takes a message from the listener.
    func put(_ message: Message) {
        let waiting: CheckedContinuation<Message?, Never>? = state.withLock { state in
            if let waiting = state.takeWaiting() { return waiting }
            if !state.isOver { state.messages.append(message) }
            return nil
        }
        waiting?.resume(returning: message)
    }

    /// Ends the buffer: no more messages arrive. The buffered ones can still be read.
    func end() {
        let waiting: CheckedContinuation<Message?, Never>? = state.withLock { state in
            state.isOver = true
            return state.takeWaiting()
        }
        waiting?.resume(returning: nil)
    }

    /// Suspends the task until there is a message. Nil after the end, if the task is cancelled, and for a second task
    /// that reads at the same time.
    func next() async -> Message? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Message?? = state.withLock { state in
                    if Task.isCancelled || state.waiting != nil { return .some(nil) }
                    if let message = state.messages.removeFirst() { return .some(message) }
                    if state.isOver { return .some(nil) }
                    state.waiting = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting: CheckedContinuation<Message?, Never>? = state.withLock { $0.takeWaiting() }
            waiting?.resume(returning: nil)
        }
    }
}

/// Unread messages, in their order.
private enum PendingMessages {
    case all([Message])
    case newest(NewestMessages)

    mutating func append(_ message: Message) {
        switch self {
        case .all(var messages):
            self = .all([])
            messages.append(message)
            self = .all(messages)
        case .newest(var messages):
            self = .newest(NewestMessages())
            messages.append(message)
            self = .newest(messages)
        }
    }

    mutating func removeFirst() -> Message? {
        switch self {
        case .all(var messages):
            guard !messages.isEmpty else { return nil }
            self = .all([])
            defer { self = .all(messages) }
            return messages.removeFirst()
        case .newest(var messages):
            self = .newest(NewestMessages())
            defer { self = .newest(messages) }
            return messages.removeFirst()
        }
    }
}

/// The newest unread message of each identifier, in the order in which the identifiers arrived.
private struct NewestMessages {
    private var identifiers: [String] = []
    private var first = 0
    private var messages: [String: Message] = [:]

    mutating func append(_ message: Message) {
        if messages.updateValue(message, forKey: message.identifier) == nil { identifiers.append(message.identifier) }
    }

    mutating func removeFirst() -> Message? {
        guard first < identifiers.count else { return nil }
        let message = messages.removeValue(forKey: identifiers[first])
        first += 1
        if first == identifiers.count { (identifiers, first) = ([], 0) }
        return message
    }
}
