/// A frame of the protocol between joined buses, with its fields checked (docs/join-format.md; numbers in
/// FrameTable.swift). It borrows its bytes.
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
    /// The packet has descriptors, which the next frame names.
    case descriptors(Int)

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
        case .descriptors:
            guard let count = reader.byte(), (1...Frame.Limit.descriptors).contains(Int(count)), reader.isAtEnd
            else { return nil }
            return .descriptors(Int(count))
        }
    }
}

extension StaticString {
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
