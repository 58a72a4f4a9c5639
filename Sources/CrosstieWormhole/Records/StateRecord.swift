/// The record under an identifier: a header of 24 bytes, the sender's name, tags if it has some, the encoded value.
struct StateRecord {
    let kind: MessageKind
    let stamp: Stamp
    let name: UnsafeRawBufferPointer
    /// ``MessageTags``; empty for none.
    let tags: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer

    static var format: UInt8 { 1 }
    static var headerSize: Int { 24 }

    static func size(name: Int, payload: Int) -> Int { headerSize + min(name, Wakeups.maximumNameSize) + payload }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= StateRecord.headerSize, bytes[0] == StateRecord.format,
            let kind = TaggedKind.kind(bytes[1])
        else { return nil }
        let nameSize = Int(bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        let end = StateRecord.headerSize + nameSize
        guard nameSize <= Wakeups.maximumNameSize, end <= bytes.count,
            let parts = TaggedKind.split(bytes[1], UnsafeRawBufferPointer(rebasing: bytes[end...]))
        else { return nil }
        self.kind = kind
        stamp = Stamp(
            sequence: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            time: bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self),
            pid: bytes.loadUnaligned(fromByteOffset: 4, as: Int32.self))
        name = UnsafeRawBufferPointer(rebasing: bytes[StateRecord.headerSize..<end])
        (tags, payload) = parts
    }

    /// Whether nobody is to hear it any more.
    var hasExpired: Bool { MessageTags(tags)?.hasExpired ?? false }

    /// Writes header and name into room made by ``size(name:payload:)``. Gives what is left for tags and payload.
    /// - Parameter kind: as ``TaggedKind`` has it.
    @inline(__always)
    static func write(
        _ kind: UInt8, _ stamp: Stamp, name: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutableRawBufferPointer {
        let nameSize = min(name.count, Wakeups.maximumNameSize)
        guard let base = room.baseAddress, room.count >= headerSize + nameSize else { return room }
        base.storeBytes(of: format, as: UInt8.self)
        base.storeBytes(of: kind, toByteOffset: 1, as: UInt8.self)
        base.storeBytes(of: UInt16(nameSize), toByteOffset: 2, as: UInt16.self)
        base.storeBytes(of: stamp.pid, toByteOffset: 4, as: Int32.self)
        base.storeBytes(of: stamp.sequence, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: stamp.time, toByteOffset: 16, as: Int64.self)
        if let source = name.baseAddress { (base + headerSize).copyMemory(from: source, byteCount: nameSize) }
        return UnsafeMutableRawBufferPointer(rebasing: room[(headerSize + nameSize)...])
    }
}
