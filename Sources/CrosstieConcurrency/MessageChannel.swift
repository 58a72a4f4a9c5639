import Crosstie
import CrosstieWormhole
import Synchronization

/// A bound listener and the messages that it has put aside. When this goes the listener is removed, and what a durable
/// consumer has not acknowledged is given to others.
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

    /// Removes the listener, if it is there still.
    func end() {
        let listener = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        listener?.remove()
    }
}

/// The channel of a sequence until its first iterator takes it; later iterators make their own.
final class ChannelSource: Sendable {
    typealias Bind = @Sendable () throws(CrosstieError) -> MessageChannel

    private let bind: Bind
    private let first: Mutex<Result<MessageChannel, CrosstieError>?>

    /// Binds at once, so that nothing is missed between this and the first iterator.
    init(_ bind: @escaping Bind) {
        self.bind = bind
        first = Mutex(ChannelSource.result(bind))
    }

    func take() -> Result<MessageChannel, CrosstieError> {
        let taken = first.withLock { first in
            defer { first = nil }
            return first
        }
        return taken ?? ChannelSource.result(bind)
    }

    private static func result(_ bind: Bind) -> Result<MessageChannel, CrosstieError> {
        do throws(CrosstieError) { return .success(try bind()) } catch { return .failure(error) }
    }
}
