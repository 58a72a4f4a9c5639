extension Wormhole {
    /// A message that a durable consumer was given in vain as often as it was declared, and is not given any more.
    public struct DeadLetter: Sendable {
        /// The message's number.
        public let sequence: UInt64
        /// The number of times that it was given to a listener.
        public let deliveries: Int
        /// Why it was rejected the last time; empty if nothing was said.
        public let reason: String
        /// When it became a dead letter: nanoseconds since 1970-01-01 UTC.
        public let diedAt: Int64
        /// The number under which it was forwarded, to the consumer's identifier of dead letters; nil if it was not.
        public let sentAs: UInt64?
        /// `value`, `signal` or `destroyed`.
        public internal(set) var kind = MessageKind.value
        /// The identifier of the message; empty if everything was destroyed.
        public internal(set) var identifier = ""
        /// Bytes of its encoded value.
        public internal(set) var size = 0
        /// When it was sent: nanoseconds since 1970-01-01 UTC.
        public internal(set) var time: Int64 = 0
        /// The sender.
        public internal(set) var senderPID: Int32 = 0
        public internal(set) var senderName = ""

        init(_ letter: DeadLetterRecord) {
            sequence = letter.sequence
            deliveries = Int(letter.deliveries)
            reason = String(decoding: letter.reason, as: UTF8.self)
            diedAt = letter.time
            sentAs = letter.sentAs > 0 ? letter.sentAs : nil
        }
    }

    /// Lists dead letters of a durable consumer, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - identifier: as the name was bound or declared.
    ///   - sequence: only those of greater numbers.
    ///   - limit: how many at most.
    /// - Throws: `notFound` (no such durable consumer), `limitExceeded`, `corruptData`, `busy`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    public func deadLetters(
        _ identifier: String, name: String, after sequence: UInt64 = 0, limit: Int = 1000
    ) throws(CrosstieError) -> [DeadLetter] {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try core.deadLetters(bytes, name: Array(name.utf8), after: sequence, limit: limit)
        }
    }

    /// Reads a dead letter; nil if there is none of that number. Its ``Message/reason`` says why it was rejected.
    ///
    /// - Throws: as ``deadLetters(_:name:after:limit:)``.
    public func deadLetter(
        _ identifier: String, name: String, sequence: UInt64
    ) throws(CrosstieError) -> Message? {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try core.deadLetter(bytes, name: Array(name.utf8), sequence: sequence)
        }
    }

    /// Puts a dead letter, or all of them, back into the queue of this durable consumer alone: they are delivered next,
    /// in the order of their numbers, and their delivery counts start again.
    ///
    /// - Parameter sequence: the number of one; nil: all.
    /// - Returns: how many.
    /// - Throws: `notFound` (no such durable consumer, or dead letter), `noSpace`, `busy`, `timedOut`, `corruptData`, `outOfMemory`,
    ///   `systemFailure`, `closed`, `forked`.
    @discardableResult
    public func retry(
        _ identifier: String, name: String, sequence: UInt64? = nil
    ) throws(CrosstieError) -> Int {
        try resolve(identifier) { bytes, count throws(CrosstieError) in
            try core.retry(bytes, name: Array(name.utf8), sequence: sequence, count: &count)
        }
    }

    /// Removes a dead letter, or all of them, for good.
    ///
    /// - Parameter sequence: the number of one; nil: all.
    /// - Returns: how many.
    /// - Throws: as ``retry(_:name:sequence:)``.
    @discardableResult
    public func drop(
        _ identifier: String, name: String, sequence: UInt64? = nil
    ) throws(CrosstieError) -> Int {
        try resolve(identifier) { bytes, count throws(CrosstieError) in
            try core.drop(bytes, name: Array(name.utf8), sequence: sequence, count: &count)
        }
    }

    private func resolve(
        _ identifier: String, _ body: (UnsafeRawBufferPointer, inout UInt64) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Int {
        var count: UInt64 = 0
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try body(bytes, &count) }
        return Int(clamping: count)
    }
}
