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

    /// The fields of the header.
    enum Layout {
        static var format: RecordField<UInt8> { RecordField(0) }
        static var kind: RecordField<UInt8> { RecordField(1) }
        static var identifierSize: RecordField<UInt8> { RecordField(2) }
        static var nameSize: RecordField<UInt8> { RecordField(3) }
        static var pid: RecordField<Int32> { RecordField(4) }
        static var due: RecordField<UInt64> { RecordField(8) }
        static var sent: RecordField<Int64> { RecordField(16) }
        static var reserved: RecordField<UInt64> { RecordField(24) }
        static var size: Int { 32 }
    }

    static var format: UInt8 { 1 }
    static var headerSize: Int { Layout.size }
    /// Its approximate size in a store beside its own bytes.
    static var footprint: Int { 256 }

    static func size(_ change: Change, name: Int) -> Int {
        headerSize + (change.identifier?.bytes.count ?? 0) + min(name, Wakeups.maximumNameSize) + change.size
    }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer, under key: ScheduleKey) {
        guard bytes.count >= ScheduledMessage.headerSize, bytes[Layout.format] == ScheduledMessage.format,
            let kind = TaggedKind.kind(bytes[Layout.kind]), kind != .destroyed, bytes[Layout.due] == key.due
        else { return nil }
        let identifierEnd = ScheduledMessage.headerSize + Int(bytes[Layout.identifierSize])
        let nameEnd = identifierEnd + Int(bytes[Layout.nameSize])
        guard Int(bytes[Layout.nameSize]) <= Wakeups.maximumNameSize, nameEnd <= bytes.count else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[nameEnd...])
        let identifier = UnsafeRawBufferPointer(rebasing: bytes[ScheduledMessage.headerSize..<identifierEnd])
        guard let parts = TaggedKind.split(bytes[Layout.kind], rest), Identifier(identifier) != nil else { return nil }
        self.key = key
        self.kind = kind
        isTagged = !parts.tags.isEmpty
        pid = bytes[Layout.pid]
        sent = bytes[Layout.sent]
        name = Array(bytes[identifierEnd..<nameEnd])
        payload = Array(rest)
        identifierBytes = .allocate(byteCount: identifier.count, alignment: 1)
        identifierBytes.copyMemory(from: identifier)
    }

    /// The same under its number alone, as the key has it: the record says when it is due.
    convenience init?(_ bytes: UnsafeRawBufferPointer, underNumber number: UnsafeRawBufferPointer) {
        guard number.count == 8, bytes.count >= ScheduledMessage.headerSize else { return nil }
        let due = bytes[Layout.due]
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
        base[Layout.format] = format
        base[Layout.kind] = change.kindByte
        base[Layout.identifierSize] = UInt8(clamping: identifier.count)
        base[Layout.nameSize] = UInt8(clamping: nameSize)
        base[Layout.pid] = sender.pid
        base[Layout.due] = due
        base[Layout.sent] = WallClock.now()
        base[Layout.reserved] = 0
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
