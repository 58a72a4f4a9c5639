extension Wormhole {
    /// A durable consumer, and how far it is behind. Times are nanoseconds since 1970-01-01 UTC.
    public struct Durable: Sendable, Hashable {
        public let name: String
        /// The identifier or prefix, as it was declared or bound.
        public let identifier: String
        /// The options that it was declared with.
        public let options: DurableOptions
        /// Messages to be handed out now.
        public internal(set) var waiting: UInt64 = 0
        /// Bytes of the values of new messages.
        public internal(set) var waitingSize: UInt64 = 0
        /// When the first new message was sent, by its sender's clock; nil for none. If many thousands of messages for
        /// other consumers precede it, the time of an older one.
        public internal(set) var oldest: Int64?
        /// Rejected ones that wait for their next try, and when the first of them is due.
        public internal(set) var retrying: UInt64 = 0
        public internal(set) var nextRetry: Int64?
        /// The listeners with messages in hand.
        public internal(set) var inHand: [Holder] = []
        /// The number of times that a message has been handed out.
        public internal(set) var deliveries: UInt64 = 0
        /// Dead letters.
        public internal(set) var dead: UInt64 = 0
        /// Lost messages that no listener has got a report of yet.
        public internal(set) var missed: UInt64 = 0
        /// Messages after this number were never delivered.
        public internal(set) var position: UInt64 = 0
        /// The time of the last listener, as far as it has been recorded.
        public internal(set) var listened: Int64 = 0
        /// Whether what is kept for the name cannot be read; the numbers are 0.
        public internal(set) var isDamaged = false

        init(name: String, identifier: String, options: DurableOptions) {
            self.name = name
            self.identifier = identifier
            self.options = options
        }

        /// A member that has messages of a durable consumer in hand.
        public struct Holder: Sendable, Hashable {
            public let pid: Int32
            /// The sender's name in its messages.
            public let name: String
            /// The number of them.
            public internal(set) var count: Int
            /// When the first of them was handed out.
            public internal(set) var since: Int64
        }
    }

    /// Makes a durable consumer without listening to it: from now on it gets every message, signal and destroying of its
    /// identifier. Any process may do it, any number of times.
    ///
    /// - Parameters:
    ///   - identifier: or a prefix (`chat.*`, or `*` for all).
    ///   - fromOldest: a new one begins with the oldest message that is still kept, and not with the next one.
    ///   - mayChange: options that differ from those of a name that is there replace them.
    /// - Throws: `conflict` (it is there with other options), `invalidIdentifier`, `limitExceeded`, `invalidArgument`, `noSpace`, `busy`,
    ///   `timedOut`, `corruptData`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    public func declare(
        _ identifier: String, name: String, options: DurableOptions = DurableOptions(), fromOldest: Bool = false,
        mayChange: Bool = false
    ) throws(CrosstieError) {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try core.declare(
                bytes, name: Array(name.utf8), options, fromOldest: fromOldest, mayChange: mayChange)
        }
    }

    /// The durable consumers of the group, in the order of names, and how far each is behind. It does not wait.
    ///
    /// - Throws: `corruptData`, `busy`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    public func durables() throws(CrosstieError) -> [Durable] { try core.durables() }

    /// Moves a durable consumer to another position: messages before it count as acknowledged, and messages after it
    /// that are still kept for any consumer are delivered as if for the first time. Listeners go on from there. A
    /// message in hand stays in hand if it is before the new position, and is delivered once more if it is after it.
    /// Skipped messages are not missed.
    ///
    /// - Returns: false if there is no such name.
    /// - Throws: `noSpace`, `busy`, `timedOut`, `corruptData`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    @discardableResult
    public func seek(_ identifier: String, name: String, to start: QueueStart) throws(CrosstieError) -> Bool {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try core.seek(bytes, name: Array(name.utf8), to: start)
        }
    }
}

extension Wormhole.Durable {
    /// For C, and for people.
    package var value: Value {
        [
            "name": .string(name), "identifier": .string(identifier), "waiting": .count(waiting),
            "waiting_size": .count(waitingSize), "oldest": oldest.map(Value.int) ?? .null,
            "retrying": .count(retrying), "next_retry": nextRetry.map(Value.int) ?? .null,
            "in_hand": .list(inHand.map(\.value)), "deliveries": .count(deliveries), "dead": .count(dead),
            "missed": .count(missed), "position": .count(position), "listened": .int(listened),
            "damaged": .bool(isDamaged), "options": options.value,
        ]
    }
}

extension Wormhole.Durable.Holder {
    fileprivate var value: Value {
        ["pid": .int(Int64(pid)), "name": .string(name), "count": .int(Int64(count)), "since": .int(since)]
    }
}

extension DurableOptions {
    fileprivate var value: Value {
        [
            "max_deliveries": .int(Int64(maximumDeliveries)), "dead_letter": .string(deadLetterIdentifier),
            "backoff_first_ms": .count(Clock.milliseconds(nanoseconds: backOff.first)),
            "backoff_most_ms": .count(Clock.milliseconds(nanoseconds: backOff.most)),
            "backoff_factor": .double(backOff.factor), "backoff_jitter": .double(backOff.jitter),
            "max_messages": .count(maximumMessages), "max_size": .count(maximumSize),
            "when_full": .string(whenFull.text), "expires_ms": .count(Clock.milliseconds(nanoseconds: expiry)),
        ]
    }
}

extension DurableOptions.WhenFull {
    /// As it is called in Python and in the tool.
    package var text: String {
        switch self {
        case .dropOldest: "drop"
        case .refuse: "refuse"
        case .wait: "wait"
        }
    }
}

extension Value {
    fileprivate static func count(_ number: UInt64) -> Value { .int(Int64(clamping: number)) }
}
