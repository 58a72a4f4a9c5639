import Crosstie
import CrosstieWormhole

/// The messages of a wormhole, read by a task: see ``CrosstieWormhole/Wormhole/queue(_:durable:from:unacknowledged:)`` and
/// ``CrosstieWormhole/Wormhole/messages(_:initialDelivery:)``.
///
/// The listener is bound when the sequence is made; if that fails, the first step throws the error. The sequence ends
/// when the wormhole closes, when another listener replaces this one, and when the task is cancelled. Leaving the loop
/// removes the listener. A second loop binds a new one.
public struct MessageSequence: AsyncSequence, Sendable {
    public typealias Element = Message
    public typealias Failure = CrosstieError

    private let source: ChannelSource
    /// Whether reading a message acknowledges the previous one.
    private let acknowledges: Bool

    init(acknowledges: Bool = false, _ bind: @escaping ChannelSource.Bind) {
        self.acknowledges = acknowledges
        source = ChannelSource(bind)
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source.take(), acknowledges: acknowledges)
    }

    /// A task's iteration over the messages. When it is destroyed, the listener is removed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let channel: Result<MessageChannel, CrosstieError>
        private let acknowledges: Bool
        private var last: Message?

        fileprivate init(_ channel: Result<MessageChannel, CrosstieError>, acknowledges: Bool) {
            self.channel = channel
            self.acknowledges = acknowledges
        }

        public mutating func next() async throws(CrosstieError) -> Message? { try await next(isolation: nil) }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CrosstieError) -> Message? {
            if acknowledges { last?.acknowledge() }
            last = nil
            let message = await (try channel.get()).next()
            last = message
            return message
        }
    }
}
