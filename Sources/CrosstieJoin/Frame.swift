/// A frame of the protocol between joined buses, with its fields checked (docs/join-format.md). It borrows its bytes.
enum Frame {
    case hello(Hello)
    case exports([String], idempotent: [String])
    case request(RequestFrame)
    case answer(AnswerFrame)
    case progress(id: UInt64, value: UnsafeRawBufferPointer)
    case cancel(id: UInt64)
    case goodbye
    /// Offers memory to share, with its descriptor.
    case share
    /// Further frames come by shared memory.
    case memory

    enum Kind: UInt8 {
        case hello = 1
        case exports, call, answer, progress, cancel, goodbye, share, memory, open, event
    }

    static var version: UInt16 { 1 }
    /// The beginning of every greeting.
    static var magic: StaticString { "CTIEJOIN" }
    static var maximumMessageSize: Int { 65_536 }

    /// Nil for bytes that are no frame.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = FrameReader(bytes)
        guard let kind = reader.byte().flatMap(Kind.init), let frame = Frame.read(kind, &reader) else { return nil }
        self = frame
    }

    private static func read(_ kind: Kind, _ reader: inout FrameReader) -> Frame? {
        switch kind {
        case .hello: return Hello(&reader).map(Frame.hello)
        case .exports:
            guard let names = reader.names(), let again = reader.names(), reader.isAtEnd else { return nil }
            return .exports(names, idempotent: again)
        case .call: return RequestFrame(.call, &reader).map(Frame.request)
        case .open: return RequestFrame(.open, &reader).map(Frame.request)
        case .event: return RequestFrame(.event, &reader).map(Frame.request)
        case .answer: return AnswerFrame(&reader).map(Frame.answer)
        case .progress:
            guard let id = reader.long() else { return nil }
            return .progress(id: id, value: reader.rest())
        case .cancel: return reader.long().flatMap { reader.isAtEnd ? .cancel(id: $0) : nil }
        case .goodbye: return reader.isAtEnd ? .goodbye : nil
        case .share: return reader.isAtEnd ? .share : nil
        case .memory: return reader.isAtEnd ? .memory : nil
        }
    }
}

/// The first frame of each side. Its beginning, up to the exports, is the same in every version.
struct Hello {
    let version: UInt16
    /// The most bytes of a frame that the sender takes.
    let maximumFrameSize: Int
    let member: UInt64
    /// Tells apart the joins of one member.
    let number: UInt32
    let name: String
    let exports: [String]
    /// Actions among them, `component.action`, that may run twice.
    let idempotent: [String]

    init(
        version: UInt16, maximumFrameSize: Int, member: UInt64, number: UInt32, name: String, exports: [String],
        idempotent: [String]
    ) {
        (self.version, self.maximumFrameSize, self.member) = (version, maximumFrameSize, member)
        (self.number, self.name, self.exports, self.idempotent) = (number, name, exports, idempotent)
    }

    init?(_ reader: inout FrameReader) {
        guard let magic = reader.take(8), magic.elementsEqual(Frame.magic.bytes), let version = reader.short(),
            let size = reader.word(), size >= 4096, let member = reader.long(), let number = reader.word(),
            let name = reader.shortBytes(), name.count <= 64, isUTF8(name), let exports = reader.names()
        else { return nil }
        let again = version > Frame.version ? [] : reader.names()
        guard let again, reader.isAtEnd || version > Frame.version else { return nil }
        self.init(
            version: UInt16(version), maximumFrameSize: min(Int(size), 64 << 20), member: member, number: number,
            name: String(decoding: name, as: UTF8.self), exports: exports, idempotent: again)
    }
}

/// A call of an action, a URL to open, or an event.
struct RequestFrame {
    let kind: RequestKind
    let id: UInt64
    let isLocal: Bool
    let wantsProgress: Bool
    /// The number of requests that it is nested in, itself included.
    let depth: UInt32
    /// Negative for none.
    let millisecondsLeft: Int64
    /// The component of a call, a URL, or an event.
    let target: UnsafeRawBufferPointer
    /// Of a call alone.
    let action: UnsafeRawBufferPointer
    /// MessagePack; empty for null, as it is of a URL.
    let params: UnsafeRawBufferPointer
    let userInfo: UnsafeRawBufferPointer

    static var local: UInt8 { 1 }
    static var progress: UInt8 { 2 }

    init?(_ kind: RequestKind, _ reader: inout FrameReader) {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let id = reader.long(), let flags = reader.byte(),
            flags & ~(RequestFrame.local | RequestFrame.progress) == 0, let depth = reader.byte(),
            let left = reader.long(), let target = reader.shortBytes(),
            let action = kind == .call ? reader.shortBytes() : none,
            let params = kind == .open ? none : reader.longBytes(), let info = reader.longBytes(), reader.isAtEnd
        else { return nil }
        (self.kind, self.id, self.depth) = (kind, id, UInt32(depth))
        millisecondsLeft = Int64(bitPattern: left)
        (isLocal, wantsProgress) = (flags & RequestFrame.local != 0, flags & RequestFrame.progress != 0)
        (self.target, self.action, self.params, userInfo) = (target, action, params, info)
    }
}

/// The answer to a request.
struct AnswerFrame {
    let id: UInt64
    let status: Status
    let code: Int32
    let message: UnsafeRawBufferPointer
    /// MessagePack; empty for null.
    let value: UnsafeRawBufferPointer

    init?(_ reader: inout FrameReader) {
        guard let id = reader.long(), let status = reader.word(), let code = reader.word(),
            let message = reader.longBytes(), message.count <= Frame.maximumMessageSize, isUTF8(message),
            let value = reader.longBytes(), reader.isAtEnd
        else { return nil }
        (self.id, self.status) = (id, Status(rawValue: Int32(bitPattern: status)))
        (self.code, self.message, self.value) = (Int32(bitPattern: code), message, value)
    }
}

extension StaticString {
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
