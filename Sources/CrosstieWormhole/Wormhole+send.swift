extension Wormhole {
    /// The result of sending a message.
    public struct Sent: Sendable {
        /// The message's number in the group.
        public let sequence: UInt64
        /// The number of living processes that were woken because they listen to the identifier, this one included.
        public let listeners: Int
    }

    /// Stores a value as the identifier's current message and wakes its listeners.
    ///
    /// - Throws: `invalidIdentifier`, `foreignValue` (it holds an object that cannot leave the process), `limitExceeded` (it is too
    ///   large), `noSpace`, `busy` (a process that is stopped as it reads keeps the room), `timedOut`, `corruptData`, `outOfMemory`, `systemFailure`, `closed`, `forked`.
    @discardableResult
    public func send(_ identifier: String, _ value: Value) throws(CrosstieError) -> Sent {
        let content = try value.makeRef()
        defer { content.release() }
        let receipt = try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try core.send(bytes, content)
        }
        return sent(receipt)
    }

    /// Wakes the listeners of an identifier with a signal; the stored message stays.
    ///
    /// - Throws: as ``send(_:_:)``.
    @discardableResult
    public func signal(_ identifier: String) throws(CrosstieError) -> Sent {
        sent(try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try core.signal(bytes) })
    }

    /// One of several messages.
    public enum Outgoing: Sendable {
        case value(_ identifier: String, Value)
        case signal(_ identifier: String)
    }

    /// Sends messages in one step, all or none: several times as fast as one by one. Delayed ones are scheduled in one
    /// step instead, and sent in this order when their time has come.
    ///
    /// A wormhole without ``Abilities/atomicBatches`` sends several messages only if ``SendOptions/isAtomic`` is false: one
    /// after another. If one fails, those before it have been sent, and perhaps some of those after it. The same call with
    /// the same token sends what is missing, and nothing twice.
    ///
    /// - Parameter options: of each message.
    /// - Returns: the number of the first one; those of the others follow.
    /// - Throws: as ``send(_:_:options:)``, with the message as location; `invalidArgument` for none, `limitExceeded` for
    ///   over 65,536, `unsupported` if they cannot be sent in one step.
    @discardableResult
    public func send(
        many messages: [Outgoing], options: SendOptions = SendOptions()
    ) throws(CrosstieError) -> UInt64 {
        let chosen = try options.resolved()
        var contents: [ValueRef?] = []
        defer { for content in contents { content?.release() } }
        var text: [UInt8] = []
        var ends: [Int] = []
        for message in messages {
            contents.append(try message.value?.makeRef())
            text.append(contentsOf: message.identifier.utf8)
            ends.append(text.count)
        }
        return try text.withBytes { bytes throws(CrosstieError) in
            try core.send(count: messages.count, chosen) { index throws(CrosstieError) in
                let start = index == 0 ? 0 : ends[index &- 1]
                return OutgoingMessage(UnsafeRawBufferPointer(rebasing: bytes[start..<ends[index]]), contents[index])
            }
        }
    }

    /// Removes the current message of an identifier and its queued ones; its listeners get a message that it was
    /// destroyed. Others write meanwhile, however much is queued.
    ///
    /// - Throws: `invalidIdentifier`, `noSpace`, `busy`, `timedOut` (some of what was queued may be there still), `corruptData`,
    ///   `systemFailure`, `closed`, `forked`.
    @discardableResult
    public func destroy(_ identifier: String) throws(CrosstieError) -> Sent {
        sent(try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try core.destroy(bytes) })
    }

    /// Removes every message of the group; each listener gets one message that it was destroyed.
    ///
    /// - Throws: as ``destroy(_:)``; after `timedOut` nothing but some of what was queued has been removed.
    @discardableResult
    public func destroyAll() throws(CrosstieError) -> Sent {
        sent(try core.destroyAll())
    }

    func sent(_ receipt: Receipt) -> Sent {
        Sent(sequence: receipt.sequence, listeners: Int(core.countProcesses(receipt)))
    }
}

extension Wormhole.Outgoing {
    fileprivate var identifier: String {
        switch self {
        case .value(let identifier, _), .signal(let identifier): identifier
        }
    }

    fileprivate var value: Value? {
        if case .value(_, let value) = self { value } else { Optional.none }
    }
}
