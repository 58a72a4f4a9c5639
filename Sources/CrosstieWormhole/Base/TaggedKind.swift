/// The kinds in records, with a bit that says whether tags precede the value.
enum TaggedKind {
    private static var tagged: UInt8 { 1 << 7 }

    @inline(__always)
    static func byte(_ kind: MessageKind, isTagged: Bool) -> UInt8 {
        UInt8(truncatingIfNeeded: kind.rawValue) | (isTagged ? tagged : 0)
    }

    /// Nil for kinds that are never in records.
    @inline(__always)
    static func kind(_ byte: UInt8) -> MessageKind? {
        guard let kind = MessageKind(rawValue: Int32(byte & ~tagged)), kind.isStored else { return nil }
        return kind
    }

    /// Splits the bytes behind the header of a record into tags, empty for none, and the value; nil if they are
    /// damaged.
    @inline(__always)
    static func split(
        _ byte: UInt8, _ payload: UnsafeRawBufferPointer
    ) -> (tags: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard byte & tagged != 0 else { return (UnsafeRawBufferPointer(start: nil, count: 0), payload) }
        guard let tags = MessageTags(before: payload) else { return nil }
        return (tags.bytes, UnsafeRawBufferPointer(rebasing: payload[tags.bytes.count...]))
    }
}
