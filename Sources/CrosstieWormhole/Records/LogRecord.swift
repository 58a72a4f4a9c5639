/// A queued message in a block: a header of 10 bytes, the identifier, tags if it has some, the encoded value.
struct LogRecord {
    let kind: MessageKind
    let stamp: Stamp
    /// Empty: everything was destroyed.
    let identifier: UnsafeRawBufferPointer
    let name: UnsafeRawBufferPointer
    /// ``MessageTags``; empty for none.
    let tags: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer

    /// The fields of the header.
    enum Layout {
        /// The difference to the block's number.
        static var back: RecordField<UInt32> { RecordField(0) }
        /// The bytes after the identifier.
        static var size: RecordField<UInt32> { RecordField(4) }
        static var kind: RecordField<UInt8> { RecordField(8) }
        static var identifierSize: RecordField<UInt8> { RecordField(9) }
        static var end: Int { 10 }
    }

    static var headerSize: Int { Layout.end }

    static func size(_ change: Change) -> Int { headerSize + (change.identifier?.bytes.count ?? 0) + change.size }

    /// Reads the message at a position of a block, of which every byte may be wrong, and moves the position behind it; nil
    /// when there is none.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, at position: inout Int, of block: LogBlock) {
        guard bytes.count &- position >= LogRecord.headerSize else { return nil }
        let back = UInt64(bytes[Layout.back, at: position])
        let size = Int(bytes[Layout.size, at: position])
        let begin = position &+ LogRecord.headerSize
        let identifierEnd = begin &+ Int(bytes[Layout.identifierSize, at: position])
        let end = identifierEnd &+ size
        let kindByte = bytes[Layout.kind, at: position]
        guard end <= bytes.count, back < block.sequence, let kind = TaggedKind.kind(kindByte),
            let parts = TaggedKind.split(kindByte, UnsafeRawBufferPointer(rebasing: bytes[identifierEnd..<end]))
        else { return nil }
        self.kind = kind
        stamp = Stamp(sequence: block.sequence &- back, time: block.time, pid: block.pid)
        identifier = UnsafeRawBufferPointer(rebasing: bytes[begin..<identifierEnd])
        name = block.name
        (tags, payload) = parts
        position = end
    }

    /// Whether it has expired.
    @inline(__always)
    var hasExpired: Bool { tags.isEmpty ? false : MessageTags(tags)?.hasExpired ?? false }

    /// Writes a message into room of at least ``size(_:)``. Returns the rest of the room.
    /// - Parameter back: how far its number is below the block's.
    static func write(
        _ change: Change, back: Int, into room: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        let identifier = change.identifier?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let size = LogRecord.size(change)
        guard let base = room.baseAddress, room.count >= size else { return room }
        base[Layout.back] = UInt32(truncatingIfNeeded: back)
        base[Layout.size] = UInt32(truncatingIfNeeded: change.size)
        base[Layout.kind] = change.kindByte
        base[Layout.identifierSize] = UInt8(truncatingIfNeeded: identifier.count)
        if let source = identifier.baseAddress {
            (base + headerSize).copyMemory(from: source, byteCount: identifier.count)
        }
        let payload = UnsafeMutableRawBufferPointer(rebasing: room[(headerSize + identifier.count)..<size])
        change.encode(into: payload)
        return UnsafeMutableRawBufferPointer(rebasing: room[size...])
    }
}

extension LogTail {
    /// Counts a message; the total is that of the bytes of values.
    @inline(__always)
    mutating func add(_ record: LogRecord) {
        index &+= 1
        total &+= UInt64(record.payload.count)
    }
}
