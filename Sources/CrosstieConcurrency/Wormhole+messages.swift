import Crosstie
import CrosstieWormhole

extension Wormhole {
    /// Every message, signal and destroying of an identifier, or of every identifier below a prefix (`chat.*`, or `*`
    /// for all), in their order and once each.
    ///
    /// ```swift
    /// for try await message in wormhole.queue("jobs", durable: "worker", unacknowledged: 10) {
    ///     try await work(on: message.value)
    ///     message.acknowledge()
    /// }
    /// ```
    ///
    /// The group hands out so many messages as may be unacknowledged, and waits: that is the back-pressure. With a
    /// durable consumer each message has to be answered by ``Message/acknowledge()`` or
    /// ``Message/reject(after:reason:)``, on any task. Leaving the loop gives back what is not answered. Without one,
    /// asking for the next message acknowledges the one before it.
    ///
    /// - Parameters:
    ///   - consumer: the name of the durable consumer, which is kept in the store and shared by everybody who names it;
    ///     nil for none.
    ///   - start: where to begin; a durable consumer when it is made.
    ///   - count: messages handed out and not acknowledged at most: 1 to 1,024.
    /// - Returns: the messages; reading them throws *invalidIdentifier*, *limitExceeded*, *noSpace*, *timedOut*,
    ///   *corruptData*, *outOfMemory*, *busy*, *systemFailure*, *closed* or *forked* if the listener cannot be bound.
    public func queue(
        _ identifier: String, durable consumer: String? = nil, from start: QueueStart = .next,
        unacknowledged count: Int = 1
    ) -> MessageSequence {
        var options = ListenOptions()
        options.name = Array((consumer ?? "").utf8)
        options.delivery = consumer == nil ? .queue : .durable
        options.start = start
        options.isManual = true
        options.maximumUnacknowledged = count
        let chosen = options
        return MessageSequence(acknowledges: consumer == nil) { () throws(CrosstieError) in
            try MessageChannel { put, end throws(CrosstieError) in try self.bind(identifier, chosen, put, end: end) }
        }
    }

    /// The message of an identifier, or of every identifier below a prefix, and each that takes its place. A task that
    /// is slower than its senders gets the newest one of each identifier and skips those before it.
    ///
    /// - Parameter initialDelivery: false to begin with what is newer than this call, and not with what is stored.
    /// - Returns: the messages; reading them throws *invalidIdentifier*, *limitExceeded*, *outOfMemory*, *busy*,
    ///   *systemFailure*, *closed* or *forked* if the listener cannot be bound.
    public func messages(_ identifier: String, initialDelivery: Bool = true) -> MessageSequence {
        var options = ListenOptions()
        options.initialDelivery = initialDelivery
        let chosen = options
        return MessageSequence { () throws(CrosstieError) in
            try MessageChannel(onlyNewest: true) { put, end throws(CrosstieError) in
                try self.bind(identifier, chosen, put, end: end)
            }
        }
    }
}
