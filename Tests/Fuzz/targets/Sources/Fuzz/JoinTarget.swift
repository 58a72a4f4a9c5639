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
        case .exports(let names):
            demand(names.allSatisfy { NameList.isValid($0.utf8) }, "a name of another form")
            return FrameWriter.exports(names)
        case .call(let call): return write(call)
        case .answer(let answer):
            demand(answer.message.count <= Frame.maximumMessageSize, "a message over its limit")
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
        }
    }

    private static func write(_ call: CallFrame) -> [UInt8] {
        decode(call.params)
        decode(call.userInfo)
        var writer = FrameWriter(.call, id: call.id)
        writer.byte((call.isLocal ? CallFrame.local : 0) | (call.wantsProgress ? CallFrame.progress : 0))
        writer.byte(UInt8(call.depth))
        writer.long(UInt64(bitPattern: call.millisecondsLeft))
        writer.shortBytes(call.target)
        writer.shortBytes(call.action)
        writer.longBytes(call.params)
        writer.longBytes(call.userInfo)
        return writer.bytes
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer) {
        if let value = try? MessagePack.decode(bytes) { value.release() }
    }
}
