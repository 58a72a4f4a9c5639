/// A queued message: a header of 32 bytes, the identifier, the sender's name, the encoded value. Its number stands in
/// the key.
struct LogRecord {
    let kind: MessageKind
    let stamp: Stamp
    /// How many records have been appended before it since the log was last empty, and it; so that two records tell
    /// how many lie between them.
    let index: UInt64
    /// The bytes of all those.
    let total: UInt64
    /// Empty: everything was destroyed.
    let identifier: UnsafeRawBufferPointer
    let name: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer

    static var format: UInt8 { 1 }
    static var headerSize: Int { 32 }

    static func size(identifier: Int, name: Int, payload: Int) -> Int {
        headerSize + identifier + min(name, Bells.maximumNameSize) + payload
    }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer, sequence: UInt64) {
        guard bytes.count >= LogRecord.headerSize, bytes[0] == LogRecord.format,
            let kind = MessageKind(rawValue: Int32(bytes[1])), kind.isStored
        else { return nil }
        let identifierEnd = LogRecord.headerSize + Int(bytes[3])
        let nameEnd = identifierEnd + Int(bytes[2])
        guard Int(bytes[2]) <= Bells.maximumNameSize, nameEnd <= bytes.count else { return nil }
        self.kind = kind
        stamp = Stamp(
            sequence: sequence, time: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
            pid: bytes.loadUnaligned(fromByteOffset: 4, as: Int32.self))
        index = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        total = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        identifier = UnsafeRawBufferPointer(rebasing: bytes[LogRecord.headerSize..<identifierEnd])
        name = UnsafeRawBufferPointer(rebasing: bytes[identifierEnd..<nameEnd])
        payload = UnsafeRawBufferPointer(rebasing: bytes[nameEnd...])
    }

    /// Writes all but the payload into room made by ``size(identifier:name:payload:)``. Gives what is left for that.
    static func write(
        _ change: Change, _ stamp: Stamp, _ tail: LogTail, name: UnsafeRawBufferPointer,
        into room: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        let identifier = change.identifier?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let nameSize = min(name.count, Bells.maximumNameSize)
        let end = headerSize + identifier.count + nameSize
        guard let base = room.baseAddress, room.count >= end else { return room }
        base.storeBytes(of: format, as: UInt8.self)
        base.storeBytes(of: UInt8(truncatingIfNeeded: change.kind.rawValue), toByteOffset: 1, as: UInt8.self)
        base.storeBytes(of: UInt8(truncatingIfNeeded: nameSize), toByteOffset: 2, as: UInt8.self)
        base.storeBytes(of: UInt8(truncatingIfNeeded: identifier.count), toByteOffset: 3, as: UInt8.self)
        base.storeBytes(of: stamp.pid, toByteOffset: 4, as: Int32.self)
        base.storeBytes(of: stamp.time, toByteOffset: 8, as: Int64.self)
        base.storeBytes(of: tail.index, toByteOffset: 16, as: UInt64.self)
        base.storeBytes(of: tail.total, toByteOffset: 24, as: UInt64.self)
        if let source = identifier.baseAddress {
            (base + headerSize).copyMemory(from: source, byteCount: identifier.count)
        }
        if let source = name.baseAddress {
            (base + headerSize + identifier.count).copyMemory(from: source, byteCount: nameSize)
        }
        return UnsafeMutableRawBufferPointer(rebasing: room[end...])
    }
}

/// The counts of the log's last record.
struct LogTail {
    var index: UInt64 = 0
    var total: UInt64 = 0
}

extension Message {
    /// The message of a queued record, decoded. What destroyed everything bears the text of the listener's topic; so
    /// does what was passed under no identifier, which only damage can have done.
    static func queued(_ record: LogRecord, for topic: Topic) -> Message {
        topic.text.withUnsafeBytes { text in
            // What a topic covers that is no prefix is its own text.
            if topic.isPrefix, !record.identifier.isEmpty, Identifier(record.identifier) == nil {
                return .unreadable(under: text, stamp: record.stamp)
            }
            return Message(
                record.kind, under: record.identifier.isEmpty ? text : record.identifier, stamp: record.stamp,
                name: record.name, payload: record.payload)
        }
    }
}
