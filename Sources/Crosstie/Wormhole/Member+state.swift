/// Passing and reading, on bytes.
extension Member {
    /// Stores a value, which is borrowed.
    package func pass(_ identifier: UnsafeRawBufferPointer, _ content: ValueRef) throws(CrosstieError) -> Receipt {
        let identifier = try Member.check(identifier)
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
            let size = try MessagePack.encodedSize(of: plain)
            guard size <= maximumValueSize else {
                throw CrosstieError(.limit, "the encoded value has \(size) bytes, over \(maximumValueSize)")
            }
            return (plain, size)
        } catch {
            plain.release()
            throw error
        }
    }

    package func signal(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Receipt {
        let identifier = try Member.check(identifier)
        return try use { () throws(CrosstieError) in
            try write(Change(.signal, identifier))
        }
    }

    package func destroy(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) {
        let identifier = try Member.check(identifier)
        try use { () throws(CrosstieError) in
            _ = try write(Change(.destroyed, identifier))
        }
    }

    package func destroyAll() throws(CrosstieError) {
        try use { () throws(CrosstieError) in _ = try write(Change(.destroyed, nil)) }
    }

    @inline(__always)
    private func write(_ change: Change) throws(CrosstieError) -> Receipt {
        let outcome = withUnsafePointer(to: change) { change in
            Result { () throws(CrosstieError) in
                try transport.write(UnsafeBufferPointer(start: change, count: 1))
            }
        }
        return try outcome.get()
    }

    /// The current message; nil if nothing is stored.
    package func message(_ identifier: UnsafeRawBufferPointer) throws(CrosstieError) -> Message? {
        let identifier = try Member.check(identifier)
        let message = try use { () throws(CrosstieError) in try transport.message(identifier) }
        guard message?.status != .corrupt else {
            throw CrosstieError(.corrupt, "the stored message cannot be decoded")
        }
        return message
    }

    /// How many living processes a change has rung; costs a system call or more for each.
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
    /// The current message of an identifier; nil if there is none.
    func message(_ identifier: Identifier) throws(CrosstieError) -> Message? {
        try read { snapshot throws(CrosstieError) in
            guard let stored = try snapshot.get(StoreKey.current, identifier.bytes) else { return nil }
            guard let record = StateRecord(stored) else { return .unreadable(under: identifier.bytes) }
            return record.kind == .value ? Message(record, under: identifier.bytes) : nil
        }
    }
}
