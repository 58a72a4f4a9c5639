/// Keys begin with a byte for the kind of record; the log, which only ever grows at its end, comes last.
enum StoreKey {
    /// One record: the group's counts.
    static var meta: UInt8 { 0x00 }
    /// By member: the token of its newest step, on a host's transport. See ``StepToken``.
    static var token: UInt8 { 0x01 }
    /// By identifier: the current message, or that it was destroyed.
    static var current: UInt8 { 0x10 }
    /// By identifier: the last signal.
    static var signal: UInt8 { 0x11 }
    /// By sequence, big-endian: the identifier of a *destroyed* record.
    static var tombstone: UInt8 { 0x20 }
    /// By topic: the listeners that need every message of it.
    static var interest: UInt8 { 0x30 }
    /// By durable consumer, a zero byte and topic: its acknowledgements.
    static var cursor: UInt8 { 0x31 }
    /// By a cursor's identity and sequence: a message that waits for its next try. See ``WaitingMessage``.
    static var waiting: UInt8 { 0x33 }
    /// By a cursor's identity, the time of the next try, and sequence: the same message.
    static var due: UInt8 { 0x34 }
    /// By durable consumer, a zero byte and topic: its declared options. See ``DurableOptions``.
    static var declared: UInt8 { 0x35 }
    /// By a cursor's identity and sequence: a dead letter. See ``DeadLetterRecord``.
    static var deadLetter: UInt8 { 0x36 }
    /// By the time at which it is due, nanoseconds since 1970 UTC, and its number: that one waits. See ``ScheduledMessage``.
    static var schedule: UInt8 { 0x38 }
    /// By its number: a scheduled message.
    static var scheduled: UInt8 { 0x39 }
    /// By identifier: it may have a message that expires; under no identifier: the log may.
    static var expiring: UInt8 { 0x3A }
    /// By a cursor's identity and a member's number, big-endian: the listeners of a consumer that expires. See
    /// ``ListeningRecord``.
    static var listening: UInt8 { 0x37 }
    /// By its size and number: the bytes of a large record. See ``Extent``.
    static var extent: UInt8 { 0xE0 }
    /// By its size, the transaction that removed its record, and number: an extent that another record may take.
    static var freeExtent: UInt8 { 0xE1 }
    /// By slot: the members of a group without a file of wakeups. See ``MemberRecord``.
    static var member: UInt8 { 0x32 }
    /// By sequence, big-endian: queued messages.
    static var log: UInt8 { 0xF0 }

    /// Two names of a listener's length, the separators, and the type.
    static var maximumSize: Int { 2 * (Identifier.maximumSize + 2) }

    /// Calls `body` with the key made of a type and the bytes after it.
    @inline(__always)
    static func with<Result>(
        _ type: UInt8, _ rest: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        _ body: (UnsafeRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        // Typed throws do not propagate through the standard library's function.
        let outcome: Swift.Result<Result, CrosstieError> = withUnsafeTemporaryAllocation(
            byteCount: maximumSize, alignment: 8
        ) { buffer in
            let size = min(rest.count, maximumSize - 1)
            buffer[0] = type
            if let source = rest.baseAddress, let target = buffer.baseAddress {
                (target + 1).copyMemory(from: source, byteCount: size)
            }
            let key = UnsafeRawBufferPointer(rebasing: buffer[..<(1 + size)])
            do throws(CrosstieError) { return .success(try body(key)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Calls `body` with the key made of a type and a sequence number.
    @inline(__always)
    static func with<Result>(
        _ type: UInt8, sequence: UInt64, _ body: (UnsafeRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        var bytes = sequence.bigEndian
        let outcome: Swift.Result<Result, CrosstieError> = withUnsafeBytes(of: &bytes) { rest in
            do throws(CrosstieError) { return .success(try with(type, rest, body)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// The sequence number that follows the type in a key; nil if the key is of another form.
    @inline(__always)
    static func sequence(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count == 9 ? UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) : nil
    }
}
