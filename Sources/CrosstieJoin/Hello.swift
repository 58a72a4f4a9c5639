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
            let size = reader.word(), size >= Frame.Limit.smallestLimit, let member = reader.long(),
            let number = reader.word(), let name = reader.shortBytes(), name.count <= Frame.Limit.nameSize,
            isUTF8(name), let exports = reader.names()
        else { return nil }
        let again = version > Frame.version ? [] : reader.names()
        guard let again, reader.isAtEnd || version > Frame.version else { return nil }
        self.init(
            version: UInt16(version), maximumFrameSize: min(Int(size), Frame.Limit.largestLimit), member: member,
            number: number, name: String(decoding: name, as: UTF8.self), exports: exports, idempotent: again)
    }
}
