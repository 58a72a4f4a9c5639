extension Wormhole {
    /// Options of listening to a queue.
    public struct QueueOptions: Sendable {
        /// Where to begin; a durable consumer when it is made.
        public var start = QueueStart.next
        /// Begin with the oldest message that is still kept for any consumer.
        public var fromOldest: Bool {
            get { start == .oldest }
            set { start = newValue ? .oldest : .next }
        }
        /// The store keeps the consumer with its acknowledgements until it is removed: it gets messages sent without a
        /// listener, too. All listeners of one durable consumer and identifier, in any number of processes, share the
        /// messages: each message goes to one of them, and to another one if that dies or rejects it, until it is
        /// acknowledged.
        public var isDurable = false
        /// Returning does not acknowledge: ``Message/acknowledge()`` or ``Message/reject(after:)`` must.
        public var isManual = false
        /// Messages handed out and not acknowledged at most, up to 1,024; nil: 512, or 1 when it is manual.
        public var maximumUnacknowledged: Int?

        public init() {}
    }

    /// Binds a listener to every message, signal and destroying of an identifier, or of every identifier below a prefix
    /// (`chat.*`, or `*` for all), from the binding on, in their order and once each.
    ///
    /// Returning acknowledges a message; throwing rejects it, so that a durable consumer gets it again, later. A
    /// listener that falls behind further than the group keeps messages gets one of kind `missed` with the number it
    /// has lost.
    ///
    /// - Parameters:
    ///   - name: binding a name again on the same identifier replaces the listener; nil for none.
    ///   - options: the first message, and the treatment of messages whose process dies.
    ///   - executor: the executor that calls it.
    /// - Returns: the listener, which is removed with its last reference; a durable consumer stays.
    /// - Throws: `invalidIdentifier`, `invalidArgument` (a durable one without a name), `limitExceeded`, `notFound` (the
    ///   dispatcher), `invalidHandle` (the bus), `noSpace`, `timedOut`, `corruptData`, `outOfMemory`, `busy`, `systemFailure`,
    ///   `closed`, `forked`.
    public func queue(
        _ identifier: String, name: String? = nil, options: QueueOptions = QueueOptions(),
        on executor: Executor = .wormhole,
        _ body: @escaping @Sendable (Message) throws -> Void
    ) throws(CrosstieError) -> Listener {
        var chosen = ListenOptions()
        chosen.name = Array((name ?? "").utf8)
        chosen.executor = try executor.resolved()
        chosen.delivery = options.isDurable ? .durable : .queue
        chosen.start = options.start
        chosen.isManual = options.isManual
        chosen.maximumUnacknowledged = options.maximumUnacknowledged
        return try bind(identifier, chosen) { message in
            do { try body(message) } catch { message.reject(reason: "\(error)") }
        }
    }

    /// Removes a durable consumer from the group, with the messages that are kept for it alone. Its listeners, in any process,
    /// get no more messages.
    ///
    /// - Returns: false if there is none.
    /// - Throws: `noSpace`, `timedOut`, `corruptData`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    @discardableResult
    public func forget(_ identifier: String, name: String) throws(CrosstieError) -> Bool {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try core.forget(bytes, name: Array(name.utf8))
        }
    }
}
