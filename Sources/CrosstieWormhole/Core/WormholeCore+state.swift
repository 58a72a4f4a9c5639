/// Sending and reading, on bytes.
extension WormholeCore {
    /// Stores a value, which is borrowed.
    package func send(_ identifier: UnsafeRawBufferPointer, _ content: ValueRef) throws(CrosstieError) -> Receipt {
        guard sendDefaults.isPlain else { return try send(identifier, content, SendOptions()) }
        let identifier = try WormholeCore.check(identifier)
        let (plain, size) = try plain(content)
        defer { plain.release() }
        return try use { () throws(CrosstieError) in
            try write(Change(.value, identifier, plain, size: size))
        }
    }

    /// A value's plain form, owned, and the size of its encoded form. Before any lock: a foreign object's own code
    /// makes it plain.
    @inline(__always)
    func plain(_ content: ValueRef) throws(CrosstieError) -> (ValueRef, size: Int) {
        let plain = try content.materialized()
        do throws(CrosstieError) {
            // No part takes less than a byte.
            guard plain.total <= maximumValueSize else {
                throw CrosstieError(.limitExceeded, "the encoded value has over \(maximumValueSize) bytes")
            }
            let size = try MessagePack.encodedSize(of: plain)
            guard size <= maximumValueSize else {
                throw CrosstieError(.limitExceeded, "the encoded value has \(size) bytes, over \(maximumValueSize)")
            }
            return (plain, size)
        } catch {
            plain.release()
            throw error
        }
    }

    package func signal(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Receipt {
        guard sendDefaults.isPlain else { return try send(identifier, nil, SendOptions()) }
        let identifier = try WormholeCore.check(identifier)
        return try use { () throws(CrosstieError) in
            try write(Change(.signal, identifier))
        }
    }

    package func destroy(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Receipt {
        let identifier = try WormholeCore.check(identifier)
        return try use { () throws(CrosstieError) in
            try write(Change(.destroyed, identifier))
        }
    }

    package func destroyAll() throws(CrosstieError) -> Receipt {
        try use { () throws(CrosstieError) in try write(Change(.destroyed, nil)) }
    }

    @inline(__always)
    func write(_ change: Change) throws(CrosstieError) -> Receipt {
        let outcome = withUnsafePointer(to: change) { change in
            Result { () throws(CrosstieError) in
                try transport.write(UnsafeBufferPointer(start: change, count: 1))
            }
        }
        return try outcome.get()
    }

    /// The current message; nil if nothing is stored.
    package func message(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Message? {
        let identifier = try WormholeCore.check(identifier)
        let message = try use { () throws(CrosstieError) in try transport.message(identifier) }
        switch message?.status {
        case .outOfMemory: throw .outOfMemory
        case .corruptData:
            throw CrosstieError(.corruptData, "the message of \(Quotation.quoted(identifier.bytes)) cannot be decoded")
        default: return message
        }
    }

    /// The number of living processes that a change has woken; costs a system call or more for each.
    package func countProcesses(_ receipt: Receipt) -> UInt32 {
        (try? use { () throws(CrosstieError) in transport.countProcesses(receipt) }) ?? 0
    }

    @inline(__always)
    static func check(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) -> Identifier {
        guard let identifier = Identifier(bytes) else { throw .malformedIdentifier(bytes) }
        return identifier
    }
}

extension Group {
    /// The current message of an identifier; nil if there is none. A small one is copied, and decoded after the read
    /// transaction: a reader that is stopped meanwhile keeps no pages.
    func message(_ identifier: Identifier) throws(CrosstieError) -> Message? {
        let outcome: Result<Message?, CrosstieError> = withUnsafeTemporaryAllocation(
            byteCount: 1024, alignment: 8
        ) { room in
            // As much as the compiler takes from the stack.
            Result { () throws(CrosstieError) in
                switch try read({ snapshot throws(CrosstieError) in try snapshot.stored(identifier, room) }) {
                case .message(let message): message
                case .copy(let size): Group.message(UnsafeRawBufferPointer(rebasing: room[..<size]), identifier)
                }
            }
        }
        return try outcome.get()
    }

    fileprivate static func message(_ stored: UnsafeRawBufferPointer, _ identifier: Identifier) -> Message? {
        guard let record = StateRecord(stored) else { return .unreadable(under: identifier.bytes) }
        return record.kind == .value && !record.hasExpired ? Message(record, under: identifier.bytes) : nil
    }
}

extension StoreTransaction {
    /// The result of reading an identifier.
    fileprivate enum Stored {
        case message(Message?)
        /// So many bytes have been copied.
        case copy(Int)
    }
}

extension StoreTransaction {
    fileprivate func stored(
        _ identifier: Identifier, _ room: UnsafeMutableRawBufferPointer
    ) throws(CrosstieError) -> Stored {
        guard let stored = try get(StoreKey.current, identifier.bytes) else { return .message(nil) }
        guard stored.count <= room.count else { return .message(Group.message(stored, identifier)) }
        room.copyMemory(from: stored)
        return .copy(stored.count)
    }
}
