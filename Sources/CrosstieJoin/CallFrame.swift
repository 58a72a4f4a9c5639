/// A call of an action.
struct CallFrame {
    let id: UInt64
    let isLocal: Bool
    let wantsProgress: Bool
    /// The number of requests that it is nested in, itself included.
    let depth: UInt32
    /// Negative for none.
    let millisecondsLeft: Int64
    let target: UnsafeRawBufferPointer
    let action: UnsafeRawBufferPointer
    /// MessagePack; empty for null.
    let params: UnsafeRawBufferPointer
    let userInfo: UnsafeRawBufferPointer

    static var local: UInt8 { 1 }
    static var progress: UInt8 { 2 }

    init?(_ reader: inout FrameReader) {
        guard let id = reader.long(), let flags = reader.byte(), flags & ~(CallFrame.local | CallFrame.progress) == 0,
            let depth = reader.byte(), let left = reader.long(), let target = reader.shortBytes(),
            let action = reader.shortBytes(), let params = reader.longBytes(), let info = reader.longBytes(),
            reader.isAtEnd
        else { return nil }
        (self.id, self.depth, millisecondsLeft) = (id, UInt32(depth), Int64(bitPattern: left))
        (isLocal, wantsProgress) = (flags & CallFrame.local != 0, flags & CallFrame.progress != 0)
        (self.target, self.action, self.params, userInfo) = (target, action, params, info)
    }
}
