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
            let message = reader.longBytes(), message.count <= Frame.Limit.messageSize, isUTF8(message),
            let value = reader.longBytes(), reader.isAtEnd
        else { return nil }
        (self.id, self.status) = (id, Status(rawValue: Int32(bitPattern: status)))
        (self.code, self.message, self.value) = (Int32(bitPattern: code), message, value)
    }
}
