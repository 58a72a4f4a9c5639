/// A message that waits for its time, as it is stored: a header of 32 bytes, the identifier, the sender's name, tags if it
/// has some, the encoded value. It is found under its number; under its time there is only that it is there.
final class ScheduledMessage {
    let key: ScheduleKey
    let kind: MessageKind
    let isTagged: Bool
    let pid: Int32
    /// When it was given to the library: nanoseconds since 1970 UTC.
    let sent: Int64
    let name: [UInt8]
    /// The bytes after the name.
    let payload: [UInt8]
    private let identifierBytes: UnsafeMutableRawBufferPointer

    static var format: UInt8 { 1 }
    static var headerSize: Int { 32 }
    /// Its approximate size in a store beside its own bytes.
    static var footprint: Int { 256 }

    static func size(_ change: Change, name: Int) -> Int {
        headerSize + (change.identifier?.bytes.count ?? 0) + min(name, Wakeups.maximumNameSize) + change.size
    }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer, under key: ScheduleKey) {
        guard bytes.count >= ScheduledMessage.headerSize, bytes[0] == ScheduledMessage.format,
            let kind = TaggedKind.kind(bytes[1]), kind != .destroyed,
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == key.due
        else { return nil }
        let identifierEnd = ScheduledMessage.headerSize + Int(bytes[2])
        let nameEnd = identifierEnd + Int(bytes[3])
        guard Int(bytes[3]) <= Wakeups.maximumNameSize, nameEnd <= bytes.count else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[nameEnd...])
        let identifier = UnsafeRawBufferPointer(rebasing: bytes[ScheduledMessage.headerSize..<identifierEnd])
        guard let parts = TaggedKind.split(bytes[1], rest), Identifier(identifier) != nil else { return nil }
        self.key = key
        self.kind = kind
        isTagged = !parts.tags.isEmpty
        pid = bytes.loadUnaligned(fromByteOffset: 4, as: Int32.self)
        sent = bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)
        name = Array(bytes[identifierEnd..<nameEnd])
        payload = Array(rest)
        identifierBytes = .allocate(byteCount: identifier.count, alignment: 1)
        identifierBytes.copyMemory(from: identifier)
    }

    /// The same under its number alone, as the key has it: the record says when it is due.
    convenience init?(_ bytes: UnsafeRawBufferPointer, underNumber number: UnsafeRawBufferPointer) {
        guard number.count == 8, bytes.count >= ScheduledMessage.headerSize else { return nil }
        let due = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        self.init(bytes, under: ScheduleKey(due: due, number: UInt64(bigEndian: number.loadUnaligned(as: UInt64.self))))
    }

    deinit { identifierBytes.deallocate() }

    /// Writes a record into room of ``size(_:name:)``.
    static func write(
        _ change: Change, due: UInt64, _ sender: Sender, into room: UnsafeMutableRawBufferPointer
    ) {
        guard let base = room.baseAddress, let identifier = change.identifier?.bytes,
            let source = identifier.baseAddress, room.count >= size(change, name: sender.name.count)
        else { return }
        let nameSize = min(sender.name.count, Wakeups.maximumNameSize)
        base.storeBytes(of: format, as: UInt8.self)
        base.storeBytes(of: change.kindByte, toByteOffset: 1, as: UInt8.self)
        base.storeBytes(of: UInt8(clamping: identifier.count), toByteOffset: 2, as: UInt8.self)
        base.storeBytes(of: UInt8(clamping: nameSize), toByteOffset: 3, as: UInt8.self)
        base.storeBytes(of: sender.pid, toByteOffset: 4, as: Int32.self)
        base.storeBytes(of: due, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: WallClock.now(), toByteOffset: 16, as: Int64.self)
        base.storeBytes(of: UInt64(0), toByteOffset: 24, as: UInt64.self)
        (base + headerSize).copyMemory(from: source, byteCount: identifier.count)
        let nameEnd = headerSize + identifier.count + nameSize
        let nameRoom = room[(headerSize + identifier.count)..<nameEnd]
        UnsafeMutableRawBufferPointer(rebasing: nameRoom).copyBytes(from: sender.name.prefix(nameSize))
        change.encode(into: UnsafeMutableRawBufferPointer(rebasing: room[nameEnd...]))
    }

    /// Lent as long as this lives.
    var identifier: UnsafeRawBufferPointer { UnsafeRawBufferPointer(identifierBytes) }

    /// The record to be written when its time has come; it borrows the identifier.
    var change: Change? {
        Identifier(identifier).map { Change(kind, $0, head: payload, isTagged: isTagged) }
    }

    var sender: Sender { Sender(pid: pid, name: name) }

    /// Whether both are of one member, so that they may be written in one step.
    func isOfSender(of other: ScheduledMessage) -> Bool { pid == other.pid && name == other.name }
}
