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

    init?(_ kind: RequestKind, _ reader: inout FrameReader) {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let id = reader.long(), let flags = reader.byte(),
            flags & ~(Frame.Flag.local | Frame.Flag.progress) == 0, let depth = reader.byte(),
            let left = reader.long(), let target = reader.shortBytes(),
            let action = kind == .call ? reader.shortBytes() : none,
            let params = kind == .open ? none : reader.longBytes(), let info = reader.longBytes(), reader.isAtEnd
        else { return nil }
        (self.kind, self.id, self.depth) = (kind, id, UInt32(depth))
        millisecondsLeft = Int64(bitPattern: left)
        (isLocal, wantsProgress) = (flags & Frame.Flag.local != 0, flags & Frame.Flag.progress != 0)
        (self.target, self.action, self.params, userInfo) = (target, action, params, info)
    }
}
