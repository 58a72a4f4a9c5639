@testable import Crosstie
@testable import CrosstieJoin

/// The bytes of a peer of a joined bus: `f` and a frame, or `m` and pieces of the memory that the two share.
enum JoinTarget {
    @Sendable static func run(_ input: UnsafeRawBufferPointer) {
        switch input.first {
        case UInt8(ascii: "f"): checkFrame(input.after(1))
        case UInt8(ascii: "m"): FuzzedMemory.run(input.after(1))
        default: return
        }
    }

    /// A frame that was read is written as the same bytes.
    private static func checkFrame(_ bytes: UnsafeRawBufferPointer) {
        guard let frame = Frame(bytes), let written = write(frame) else { return }
        demand(written.elementsEqual(bytes), "a frame is written as other bytes: \(written) from \(Array(bytes))")
    }

    private static func write(_ frame: Frame) -> [UInt8]? {
        switch frame {
        case .hello(let hello):
            demand(hello.name.utf8.count <= 64, "a name of \(hello.name.utf8.count) bytes")
            demand(hello.exports.count <= NameList.maximumCount, "\(hello.exports.count) names")
            // Other versions may have more; a size over the limit is read as the limit.
            let isPlain = hello.version == Frame.version && hello.maximumFrameSize < 64 << 20
            return isPlain ? FrameWriter.hello(hello) : nil
        case .exports(let names, let idempotent):
            demand((names + idempotent).allSatisfy(isName), "a name of another form")
            _ = NameList(of: names).has(.event("saved"))
            return FrameWriter.exports(names, idempotent)
        case .request(let request): return write(request)
        case .answer(let answer):
            demand(answer.message.count <= Frame.Limit.messageSize, "a message over its limit")
            decode(answer.value)
            var writer = FrameWriter(.answer, id: answer.id)
            writer.word(UInt32(bitPattern: answer.status.rawValue))
            writer.word(UInt32(bitPattern: answer.code))
            writer.longBytes(answer.message)
            writer.longBytes(answer.value)
            return writer.bytes
        case .cancel(let id): return FrameWriter(.cancel, id: id).bytes
        case .progress(_, let value):
            decode(value)
            return nil
        case .goodbye: return FrameWriter(.goodbye).bytes
        case .share: return FrameWriter(.share).bytes
        case .memory: return FrameWriter(.memory).bytes
        case .descriptors(let count): return FrameWriter.descriptors(count)
        }
    }

    private static func isName(_ name: String) -> Bool { Array(name.utf8).withUnsafeBytes(NameList.isValid) }

    private static func write(_ request: RequestFrame) -> [UInt8] {
        decode(request.params)
        decode(request.userInfo)
        if request.kind == .open { Wanted.with(request.target) { _ in } }
        let kind: Frame.Kind = request.kind == .open ? .open : request.kind == .event ? .event : .call
        var writer = FrameWriter(kind, id: request.id)
        writer.byte((request.isLocal ? Frame.Flag.local : 0) | (request.wantsProgress ? Frame.Flag.progress : 0))
        writer.byte(UInt8(request.depth))
        writer.long(UInt64(bitPattern: request.millisecondsLeft))
        writer.shortBytes(request.target)
        if request.kind == .call { writer.shortBytes(request.action) }
        if request.kind != .open { writer.longBytes(request.params) }
        writer.longBytes(request.userInfo)
        return writer.bytes
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer) {
        if let value = try? MessagePack.decode(bytes) { value.release() }
    }
}
