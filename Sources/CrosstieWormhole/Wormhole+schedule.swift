extension Wormhole {
    /// Options of sending a message.
    public struct SendOptions: Sendable {
        /// Texts beside the value: at most 32, of 4,096 bytes together, with names of 1 to 128. `correlation`, `reply_to`
        /// and `traceparent` are the usual names for what they say.
        public var headers: [String: String] = [:]
        /// The time until it expires; nil: as in the wormhole's options; ``Swift/Duration/forever``: it never expires.
        public var expires: Duration?
        /// The delay before it is sent, at most 100 years; nil: as in the group's options.
        public var delay: Duration?
        /// It is not delivered before this time: nanoseconds since 1970-01-01 UTC. Replaces a delay.
        public var notBefore: Int64?
        /// 16 bytes that tell this message from every other one: of two with the same token that a wormhole sends, the
        /// second is not sent, and gets the number of the first. So a message can be sent again after `uncertain`. The
        /// wormhole remembers its last 64 tokens.
        public var token: [UInt8]?
        /// Of ``Wormhole/send(many:options:)``: several messages are sent in one step, or not at all. If false, they are sent
        /// one after another where one step cannot be.
        public var isAtomic = true

        public init() {}

        func resolved() throws(CrosstieError) -> CrosstieWormhole.SendOptions {
            var chosen = CrosstieWormhole.SendOptions()
            for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
                chosen.headers.append((Array(name.utf8), Array(value.utf8)))
            }
            if let expires {
                let milliseconds = expires.wholeMilliseconds
                chosen.expires = milliseconds == .max ? .never : .after(max(milliseconds, 1))
            }
            if let notBefore {
                guard delay == nil, notBefore >= 0 else {
                    throw CrosstieError(
                        .invalidArgument, "a delay and a time exclude each other", at: "options.notBefore")
                }
                chosen.begins = .at(notBefore)
            } else if let delay {
                let milliseconds = delay.wholeMilliseconds
                chosen.begins = milliseconds == 0 ? .now : .after(milliseconds)
            }
            if let token {
                guard let known = token.withUnsafeBytes({ StepToken($0) }) else {
                    throw CrosstieError(.invalidArgument, "a token has 16 bytes", at: "options.token")
                }
                chosen.token = known
            }
            chosen.isAtomic = isAtomic
            return chosen
        }
    }

    /// A message that waits for its time.
    public struct Scheduled: Sendable, Hashable {
        /// For ``cancelScheduled(_:)``.
        public let number: UInt64
        public let identifier: String
        /// `value` or `signal`.
        public let kind: MessageKind
        /// When it is due: nanoseconds since 1970-01-01 UTC.
        public let notBefore: Int64
        /// When it was sent, likewise.
        public let sent: Int64
        /// When it expires, likewise; 0 for never.
        public let expires: Int64
        /// Bytes of the encoded value.
        public let size: Int
        public let senderPID: Int32
        public let senderName: String
        public let headers: [String: String]

        init(_ message: ScheduledMessage) {
            number = message.key.number
            identifier = String(decoding: message.identifier, as: UTF8.self)
            kind = message.kind
            notBefore = Int64(clamping: message.key.due)
            sent = message.sent
            senderPID = message.pid
            senderName = String(decoding: message.name, as: UTF8.self)
            let isTagged = message.isTagged
            (expires, headers, size) = message.payload.withUnsafeBytes { payload in
                guard isTagged, let tags = MessageTags(before: payload) else { return (0, [:], payload.count) }
                return (tags.expiry, tags.isSound ? tags.headers : [:], payload.count - tags.bytes.count)
            }
        }

        /// One that an engine keeps.
        init(_ message: Message, size: Int, notBefore: Int64) {
            number = message.sequence
            identifier = message.identifier
            kind = message.kind
            self.notBefore = notBefore
            sent = message.time
            expires = message.expires
            self.size = size
            senderPID = message.senderPID
            senderName = message.senderName
            headers = message.headers
        }
    }

    /// Passes a value as ``send(_:_:)`` does, with headers and times. An expired message is not delivered any more; a
    /// queue listener that had not consumed it gets `missed`. A scheduled message waits in the store, over restarts,
    /// too, and is sent by a process that has the group open when its time has come.
    ///
    /// - Returns: of what waits the number for ``cancelScheduled(_:)``, and no listeners.
    /// - Throws: as ``send(_:_:)``; `invalidArgument` or `limitExceeded` for headers and times.
    @discardableResult
    public func send(_ identifier: String, _ value: Value, options: SendOptions) throws(CrosstieError) -> Sent {
        let content = try value.makeRef()
        defer { content.release() }
        let chosen = try options.resolved()
        return sent(
            try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
                try core.send(bytes, content, chosen)
            })
    }

    /// Signals as ``signal(_:)`` does, with headers and times.
    ///
    /// - Throws: as ``send(_:_:options:)``.
    @discardableResult
    public func signal(_ identifier: String, options: SendOptions) throws(CrosstieError) -> Sent {
        let chosen = try options.resolved()
        return sent(
            try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
                try core.send(bytes, nil, chosen)
            })
    }

    /// The scheduled messages, in the order of times.
    ///
    /// - Parameter topic: an identifier, one followed by `.*`, or `*` for all.
    /// - Throws: `invalidIdentifier`, `limitExceeded`, `corruptData`, `busy`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    public func scheduled(_ topic: String = "*") throws(CrosstieError) -> [Scheduled] {
        try Array(topic.utf8).withBytes { bytes throws(CrosstieError) in try core.scheduled(bytes) }
    }

    /// Removes a scheduled message; it is never delivered.
    ///
    /// - Returns: false if none of that number waits.
    /// - Throws: `noSpace`, `timedOut`, `corruptData`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    @discardableResult
    public func cancelScheduled(_ number: UInt64) throws(CrosstieError) -> Bool { try core.cancelScheduled(number) }
}
