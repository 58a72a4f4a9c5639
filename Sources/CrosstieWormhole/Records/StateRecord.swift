/// The record under an identifier: a header of 24 bytes, the sender's name, tags if it has some, the encoded value.
struct StateRecord {
    let kind: MessageKind
    let stamp: Stamp
    let name: UnsafeRawBufferPointer
    /// ``MessageTags``; empty for none.
    let tags: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer

    /// The fields of the header.
    enum Layout {
        static var format: RecordField<UInt8> { RecordField(0) }
        static var kind: RecordField<UInt8> { RecordField(1) }
        static var nameSize: RecordField<UInt16> { RecordField(2) }
        static var pid: RecordField<Int32> { RecordField(4) }
        static var sequence: RecordField<UInt64> { RecordField(8) }
        static var time: RecordField<Int64> { RecordField(16) }
        static var size: Int { 24 }
    }

    static var format: UInt8 { 1 }
    static var headerSize: Int { Layout.size }

    static func size(name: Int, payload: Int) -> Int { headerSize + min(name, Wakeups.maximumNameSize) + payload }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= StateRecord.headerSize, bytes[Layout.format] == StateRecord.format,
            let kind = TaggedKind.kind(bytes[Layout.kind])
        else { return nil }
        let nameSize = Int(bytes[Layout.nameSize])
        let end = StateRecord.headerSize + nameSize
        guard nameSize <= Wakeups.maximumNameSize, end <= bytes.count,
            let parts = TaggedKind.split(bytes[Layout.kind], UnsafeRawBufferPointer(rebasing: bytes[end...]))
        else { return nil }
        self.kind = kind
        stamp = Stamp(sequence: bytes[Layout.sequence], time: bytes[Layout.time], pid: bytes[Layout.pid])
        name = UnsafeRawBufferPointer(rebasing: bytes[StateRecord.headerSize..<end])
        (tags, payload) = parts
    }

    /// Whether it has expired, and is delivered to no listener any more.
    var hasExpired: Bool { MessageTags(tags)?.hasExpired ?? false }

    /// Writes header and name into room made by ``size(name:payload:)``. Returns the room for tags and payload.
    /// - Parameter kind: as ``TaggedKind`` has it.
    @inline(__always)
    static func write(
        _ kind: UInt8, _ stamp: Stamp, name: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        let nameSize = min(name.count, Wakeups.maximumNameSize)
        guard let base = room.baseAddress, room.count >= headerSize + nameSize else { return room }
        base[Layout.format] = format
        base[Layout.kind] = kind
        base[Layout.nameSize] = UInt16(nameSize)
        base[Layout.pid] = stamp.pid
        base[Layout.sequence] = stamp.sequence
        base[Layout.time] = stamp.time
        if let source = name.baseAddress { (base + headerSize).copyMemory(from: source, byteCount: nameSize) }
        return UnsafeMutableRawBufferPointer(rebasing: room[(headerSize + nameSize)...])
    }
}
