import Crosstie
import CrosstieWormhole
import Synchronization

/// A bound listener and its buffered messages. When the channel is destroyed the listener is removed, and messages in
/// hand of a durable consumer are redelivered.
final class MessageChannel: Sendable {
    private let buffer: MessageBuffer
    /// Nil after ``end()``.
    private let listener: Mutex<Listener?>

    /// Binds the listener.
    init(
        onlyNewest: Bool = false,
        _ bind: (@escaping @Sendable (Message) -> Void, @escaping @Sendable () -> Void) throws(CrosstieError) ->
            Listener
    ) throws(CrosstieError) {
        let buffer = MessageBuffer(onlyNewest: onlyNewest)
        self.buffer = buffer
        listener = Mutex(try bind({ buffer.put($0) }, { buffer.end() }))
    }

    deinit { end() }

    func next() async -> Message? { await buffer.next() }

    /// Removes the listener, unless it has been removed.
    func end() {
        let listener = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        listener?.remove()
    }
}
