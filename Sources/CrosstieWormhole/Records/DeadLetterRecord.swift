/// The record of a dead letter: a message that failed too many deliveries of a durable consumer. The message stays in
/// the log as long as this record exists, claimed by no listener.
struct DeadLetterRecord: Equatable {
    let sequence: UInt64
    /// The number of times that it was given to a listener.
    var deliveries: UInt32
    /// When it became one: nanoseconds since 1970 UTC.
    var time: Int64
    /// The number under which it was forwarded; 0 if it was not.
    var sentAs: UInt64 = 0
    /// Why it was rejected the last time.
    var reason: [UInt8] = []

    /// The fields of the header.
    enum Layout {
        static var format: RecordField<UInt32> { RecordField(0) }
        static var deliveries: RecordField<UInt32> { RecordField(4) }
        static var time: RecordField<Int64> { RecordField(8) }
        static var sentAs: RecordField<UInt64> { RecordField(16) }
        static var size: Int { 24 }
    }

    private static var format: UInt32 { 1 }
    private static var headerSize: Int { Layout.size }
    /// Bytes of a reason that are kept.
    static var maximumReasonSize: Int { 1000 }
    /// Approximate bytes of one in a store, without its reason.
    static var footprint: Int { 96 }

    var encodedSize: Int { DeadLetterRecord.headerSize + reason.count }

    init(sequence: UInt64, deliveries: UInt32, time: Int64, sentAs: UInt64 = 0, reason: [UInt8] = []) {
        self.sequence = sequence
        self.deliveries = deliveries
        self.time = time
        self.sentAs = sentAs
        self.reason = reason
    }

    /// Reads the record of a message, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer, sequence: UInt64) {
        guard bytes.count >= DeadLetterRecord.headerSize,
            bytes.count <= DeadLetterRecord.headerSize + DeadLetterRecord.maximumReasonSize,
            bytes[Layout.format] == DeadLetterRecord.format
        else { return nil }
        self.sequence = sequence
        deliveries = bytes[Layout.deliveries]
        time = bytes[Layout.time]
        sentAs = bytes[Layout.sentAs]
        reason = Array(bytes[DeadLetterRecord.headerSize...])
    }

    /// Writes the record into room of ``encodedSize``.
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= encodedSize else { return }
        base[Layout.format] = DeadLetterRecord.format
        base[Layout.deliveries] = deliveries
        base[Layout.time] = time
        base[Layout.sentAs] = sentAs
        UnsafeMutableRawBufferPointer(rebasing: room[DeadLetterRecord.headerSize...]).copyBytes(from: reason)
    }

    /// A reason as it is kept: its beginning, up to the end of a character.
    static func kept(_ reason: String) -> [UInt8] {
        let bytes = Array(reason.utf8)
        guard bytes.count > maximumReasonSize else { return bytes }
        var end = maximumReasonSize
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(bytes[..<end])
    }
}

/// The records, by a cursor's identity and the message's number, as those of ``WaitingMessage``.
extension StoreTransaction {
    func put(_ letter: DeadLetterRecord, of identity: UInt64) throws(CrosstieError) {
        try WaitingKey.bySequence(letter.sequence, of: identity).withBytes { key throws(CrosstieError) in
            letter.write(into: try reserve(StoreKey.deadLetter, key, size: letter.encodedSize))
        }
    }

    /// The dead letter of a number; nil if there is none. A damaged record stands for one without a reason.
    func deadLetterRecord(_ sequence: UInt64, of identity: UInt64) throws(CrosstieError) -> DeadLetterRecord? {
        try WaitingKey.bySequence(sequence, of: identity).withBytes { key throws(CrosstieError) in
            guard let bytes = try get(StoreKey.deadLetter, key) else { return nil }
            return DeadLetterRecord(bytes, sequence: sequence)
                ?? DeadLetterRecord(sequence: sequence, deliveries: 0, time: 0)
        }
    }

    /// Dead letters after a number, so many at most, in the order of their numbers.
    func deadLetterRecords(of identity: UInt64, after sequence: UInt64, limit: Int) throws(CrosstieError)
        -> [DeadLetterRecord]
    {
        guard sequence < .max else { return [] }
        var found: [DeadLetterRecord] = []
        try scan(StoreKey.deadLetter, from: WaitingKey.bySequence(sequence + 1, of: identity)) { key, record in
            guard found.count < limit, WaitingKey.identity(key) == identity else { return .stop }
            guard let sequence = WaitingKey.sequence(key) else { return .next }
            found.append(
                DeadLetterRecord(record, sequence: sequence)
                    ?? DeadLetterRecord(sequence: sequence, deliveries: 0, time: 0))
            return .next
        }
        return found
    }

    func removeDeadLetter(_ sequence: UInt64, of identity: UInt64) throws(CrosstieError) {
        try WaitingKey.bySequence(sequence, of: identity).withBytes { key throws(CrosstieError) in
            try remove(StoreKey.deadLetter, key)
        }
    }

    /// Shows `body` the queued message of a number, if it is there and can be read.
    func withLogged(
        _ sequence: UInt64, _ body: (LogRecord) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        guard sequence > 0 else { return }
        try scanLog(after: sequence - 1) { found, record throws(CrosstieError) in
            if found == sequence, let record { try body(record) }
            return .stop
        }
    }
}
