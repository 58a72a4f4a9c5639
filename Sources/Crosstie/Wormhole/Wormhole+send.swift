extension Wormhole {
    /// What a message that was passed came to.
    public struct Sent: Sendable {
        /// The message's number in the group.
        public let sequence: UInt64
        /// How many living processes were rung because they listen to the identifier, this one included.
        public let listeners: Int
    }

    /// Stores a value as the identifier's current message and wakes its listeners.
    ///
    /// - Throws: `identifier`, `foreign` (it holds an object that cannot leave the process), `limit` (it is too
    ///   large), `noSpace`, `timeout`, `corrupt`, `noMemory`, `system`, `closed`, `forked`.
    @discardableResult
    public func send(_ identifier: String, _ value: Value) throws(CrosstieError) -> Sent {
        let content = try value.makeRef()
        defer { content.release() }
        return sent(try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try pass(bytes, content) })
    }

    /// Wakes the listeners of an identifier with a signal; the stored message stays.
    ///
    /// - Throws: as ``send(_:_:)``.
    @discardableResult
    public func signal(_ identifier: String) throws(CrosstieError) -> Sent {
        sent(try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try signal(bytes) })
    }

    /// Removes the message of an identifier; its listeners hear that it was destroyed.
    ///
    /// - Throws: `identifier`, `noSpace`, `timeout`, `corrupt`, `system`, `closed`, `forked`.
    public func destroy(_ identifier: String) throws(CrosstieError) {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try destroy(bytes) }
    }

    /// Removes every message of the group; each listener hears once that it was destroyed.
    ///
    /// - Throws: as ``destroy(_:)``.
    public func destroyAll() throws(CrosstieError) {
        try use { () throws(CrosstieError) in _ = try group.destroyAll(from: sender, timeout: timeout) }
    }

    /// The current message of an identifier; nil if nothing is stored.
    ///
    /// - Throws: `identifier`, `corrupt` (the stored record cannot be decoded), `busy`, `noMemory`, `system`,
    ///   `closed`, `forked`.
    public func message(_ identifier: String) throws(CrosstieError) -> Message? {
        try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in try message(bytes) }
    }

    private func sent(_ receipt: Receipt) -> Sent {
        Sent(sequence: receipt.sequence, listeners: Int(countProcesses(receipt)))
    }
}

/// The same on bytes, for the C functions.
extension Wormhole {
    /// Stores a value, which is borrowed.
    package func pass(_ identifier: UnsafeRawBufferPointer, _ content: ValueRef) throws(CrosstieError) -> Receipt {
        let identifier = try Wormhole.check(identifier)
        // Before any lock: a foreign object's own code makes it plain.
        let plain = try content.materialized()
        defer { plain.release() }
        let size = try MessagePack.encodedSize(of: plain)
        guard size <= maximumValueSize else {
            throw CrosstieError(.limit, "the encoded value has \(size) bytes, over \(maximumValueSize)")
        }
        return try use { () throws(CrosstieError) in
            try group.pass(identifier, from: sender, size: size, timeout: timeout) { room in
                _ = MessagePack.encode(plain, into: room)
            }
        }
    }

    package func signal(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Receipt {
        let identifier = try Wormhole.check(identifier)
        return try use { () throws(CrosstieError) in
            try group.signal(identifier, from: sender, timeout: timeout)
        }
    }

    package func destroy(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) {
        let identifier = try Wormhole.check(identifier)
        try use { () throws(CrosstieError) in
            _ = try group.destroy(identifier, from: sender, timeout: timeout)
        }
    }

    package func message(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Message? {
        let identifier = try Wormhole.check(identifier)
        let message = try use { () throws(CrosstieError) in try group.message(identifier) }
        guard message?.status != .corrupt else {
            throw CrosstieError(.corrupt, "the stored message cannot be decoded")
        }
        return message
    }

    /// How many living processes a change has rung; costs a system call or more for each.
    package func countProcesses(_ receipt: Receipt) -> UInt32 {
        (try? use { () throws(CrosstieError) in group.countProcesses(receipt.rung) }) ?? 0
    }

    @inline(__always)
    private static func check(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) -> Identifier {
        guard let identifier = Identifier(bytes) else { throw .malformedIdentifier(bytes) }
        return identifier
    }
}

extension Group {
    /// The current message of an identifier; nil if there is none.
    func message(_ identifier: Identifier) throws(CrosstieError) -> Message? {
        let snapshot = try store.beginReading()
        return try StoreKey.with(StoreKey.current, identifier.bytes) { key throws(CrosstieError) in
            guard let stored = try snapshot.get(key) else { return nil }
            guard let record = StateRecord(stored) else { return .unreadable(under: identifier.bytes) }
            return record.kind == .value ? Message(record, under: identifier.bytes) : nil
        }
    }
}
