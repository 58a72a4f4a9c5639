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
    /// The group delivers up to the given number of unacknowledged messages and then waits: that is the back-pressure.
    /// With a durable consumer each message has to be answered by ``Message/acknowledge()`` or
    /// ``Message/reject(after:reason:)``, on any task. Leaving the loop returns the messages that are not answered.
    /// Without a durable consumer, reading the next message acknowledges the previous one.
    ///
    /// - Parameters:
    ///   - consumer: the name of the durable consumer, which the store keeps and all its listeners share; nil for none.
    ///   - start: the start position, for a durable consumer only when it is made.
    ///   - count: the most messages delivered and not acknowledged: 1 to 1,024.
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

    /// The current message of an identifier, or of every identifier below a prefix, and each newer one. A task that is
    /// slower than the senders gets the newest message of each identifier and skips the earlier ones.
    ///
    /// - Parameter initialDelivery: false to begin with messages newer than this call instead of the stored ones.
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
