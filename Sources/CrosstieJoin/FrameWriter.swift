/// A writer of frames.
struct FrameWriter {
    private(set) var bytes: [UInt8] = []
    /// The descriptors that the frame names.
    private(set) var descriptors: [Descriptor] = []
    /// The contents that the frame names, and does not have.
    private(set) var outside = OutsideContents.none
    /// The most bytes that the receiver takes.
    private let limit: Int
    /// Whether the frame may name descriptors.
    private let keepsDescriptors: Bool

    init(_ kind: Frame.Kind, limit: Int = .max, keepsDescriptors: Bool = true) {
        (self.limit, self.keepsDescriptors) = (limit, keepsDescriptors)
        bytes.reserveCapacity(256)
        bytes.append(kind.rawValue)
    }

    init(_ kind: Frame.Kind, id: UInt64, limit: Int = .max, keepsDescriptors: Bool = true) {
        self.init(kind, limit: limit, keepsDescriptors: keepsDescriptors)
        long(id)
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func short(_ value: Int) { little(UInt64(UInt16(clamping: value)), 2) }

    mutating func word(_ value: UInt32) { little(UInt64(value), 4) }

    mutating func long(_ value: UInt64) { little(value, 8) }

    private mutating func little(_ value: UInt64, _ count: Int) {
        withUnsafeBytes(of: value.littleEndian) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }

    mutating func shortBytes(_ value: UnsafeRawBufferPointer) {
        short(value.count)
        bytes.append(contentsOf: value)
    }

    mutating func longBytes(_ value: UnsafeRawBufferPointer) {
        word(UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) {
        let utf8 = Array(value.utf8)
        short(utf8.count)
        bytes += utf8
    }

    mutating func names(_ names: [String]) {
        short(names.count)
        for name in names { text(name) }
    }

    /// Writes a value, borrowed, with its size before it; null as no bytes.
    ///
    /// - Throws: *foreignValue* for one without a plain form; *limitExceeded*; *outOfMemory*.
    mutating func value(_ value: ValueRef) throws(CrosstieError) {
        guard value.bits != ValueRef.null.bits else { return word(0) }
        let plain = try value.materialized(keepsDescriptors: keepsDescriptors)
        defer { plain.release() }
        word(0)
        let start = bytes.count
        try encode(plain, sizedAt: start - 4)
        let size = UInt32(clamping: bytes.count - start)
        for position in 0..<4 {
            bytes[start - 4 + position] = UInt8(truncatingIfNeeded: size >> (8 * UInt32(position)))
        }
    }

    /// With the contents that are outside.
    var size: Int { bytes.count + outside.size }

    /// Writes a value as the rest of the frame: a plain one, or one with descriptors.
    ///
    /// - Parameter prefix: the offset of its size, for a value whose large contents may stay outside.
    mutating func encode(_ plain: ValueRef, sizedAt prefix: Int? = nil) throws(CrosstieError) {
        let (start, most) = (bytes.count, try MessagePack.encodedSize(of: plain, namesDescriptors: true))
        guard most <= limit - size else {
            throw CrosstieError(.limitExceeded, "a frame has over \(limit) bytes (max_frame_size)")
        }
        let head = bytes
        var written: Int?
        var left: [OutsideValue] = []
        bytes = [UInt8](unsafeUninitializedCapacity: start + most + 16) { room, count in
            let room = UnsafeMutableRawBufferPointer(room)
            room.copyBytes(from: head)
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[start..<start + most])
            written = MessagePack.encode(
                plain, into: rest, &descriptors, leavingOutside: prefix == nil ? .max : OutsideContents.least, &left)
            count = start + (written ?? 0)
        }
        if let prefix { for value in left { outside.append(value, at: start + value.offset, prefix: prefix) } }
        guard written != nil, descriptors.count <= Frame.Limit.descriptors else {
            throw CrosstieError(.limitExceeded, "a frame has over \(Frame.Limit.descriptors) descriptors")
        }
    }
}

extension FrameWriter {
    static func hello(_ hello: Hello) -> [UInt8] {
        var writer = FrameWriter(.hello)
        for byte in Frame.magic.bytes { writer.byte(byte) }
        writer.short(Int(hello.version))
        writer.word(UInt32(clamping: hello.maximumFrameSize))
        writer.long(hello.member)
        writer.word(hello.number)
        writer.text(hello.name)
        writer.names(hello.exports)
        writer.names(hello.idempotent)
        return writer.bytes
    }

    static func exports(_ names: [String], _ idempotent: [String]) -> [UInt8] {
        var writer = FrameWriter(.exports)
        writer.names(names)
        writer.names(idempotent)
        return writer.bytes
    }

    /// Announces the descriptors that come with it, for the next frame.
    static func descriptors(_ count: Int) -> [UInt8] {
        var writer = FrameWriter(.descriptors)
        writer.byte(UInt8(clamping: count))
        return writer.bytes
    }

    /// An answer of this library.
    static func answer(_ id: UInt64, _ status: Status, _ message: String) -> [UInt8] {
        answer(id, status, code: status.code, message: message)
    }

    /// An answer without a value.
    static func answer(_ id: UInt64, _ status: Status, code: Int32, message: String) -> [UInt8] {
        FrameWriter(answer: id, status, code: code, message).bytes
    }

    /// The same, to be written.
    init(answer id: UInt64, _ status: Status, code: Int32, _ message: String) {
        var text = message
        if text.utf8.count > Frame.Limit.messageSize { text = status.message }
        self.init(.answer, id: id)
        word(UInt32(bitPattern: status.rawValue))
        word(UInt32(bitPattern: code))
        text.withUTF8 { longBytes(UnsafeRawBufferPointer($0)) }
        word(0)
    }
}

extension FrameWriter {
    /// The frame of a request that leaves.
    static func request(
        _ block: RequestBlock.Pointer, _ id: UInt64, _ depth: UInt32, to peer: Peer
    ) throws(CrosstieError) -> FrameWriter {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let limit = peer.maximumFrameSize
        var writer = FrameWriter(
            block.pointee.kind.frame, id: id, limit: limit, keepsDescriptors: peer.link.isLocal)
        let local = block.pointee.isLocal ? Frame.Flag.local : 0
        writer.byte(local | (block.pointee.isFollowed ? Frame.Flag.progress : 0))
        writer.byte(UInt8(clamping: depth))
        writer.long(UInt64(bitPattern: block.millisecondsLeft ?? -1))
        switch block.pointee.kind {
        case .open: writer.shortBytes(block.urlPart(.whole) ?? none)
        case .event: writer.shortBytes(block.action ?? none)
        default:
            writer.shortBytes(block.target ?? none)
            writer.shortBytes(block.action ?? none)
        }
        if block.pointee.kind != .open { try writer.value(block.pointee.params) }
        try writer.value(block.pointee.userInfo)
        guard writer.size <= limit else {
            throw CrosstieError(.limitExceeded, "a request has over \(limit) bytes (max_frame_size)")
        }
        return writer
    }
}

extension RequestKind {
    fileprivate var frame: Frame.Kind {
        switch self {
        case .open: .open
        case .event: .event
        case .call, .perform, .share, .oauth, .launch, .activity: .call
        }
    }
}
