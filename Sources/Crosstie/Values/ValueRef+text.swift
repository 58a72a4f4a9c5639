internal import CCrosstie

extension ValueRef {
    /// Most bytes in a string or bytes value, and in the keys of a map together.
    package static var maxSize: Int { Int(CTIE_VALUE_MAX_SIZE) }

    /// A copy of text that is known to be UTF-8.
    package static func string(validated text: UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef {
        let (ref, room) = try unfilled(.string, count: text.count)
        room.copyMemory(from: text)
        return ref
    }

    /// A copy of text.
    package static func string(_ text: UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef {
        guard text.count <= maxSize else { throw tooLong }
        guard isUTF8(text) else { throw CrosstieError(.invalidUTF8, "the string is not valid UTF-8") }
        return try string(validated: text)
    }

    package static func string(_ text: String) throws(CrosstieError) -> ValueRef {
        var text = text
        let result: Result<ValueRef, CrosstieError> = text.withUTF8 { bytes in
            Result { () throws(CrosstieError) in try string(validated: UnsafeRawBufferPointer(bytes)) }
        }
        return try result.get()
    }

    /// A copy of bytes.
    package static func bytes(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef {
        let (ref, room) = try unfilled(.bytes, count: bytes.count)
        room.copyMemory(from: bytes)
        return ref
    }

    /// A string or bytes value whose content the caller writes before anybody else sees it.
    static func unfilled(
        _ kind: Kind, count: Int
    ) throws(CrosstieError) -> (ref: ValueRef, room: UnsafeMutableRawBufferPointer) {
        guard count <= maxSize else { throw tooLong }
        let ref = try allocate(kind, size: count &+ 1, count: count)
        ref.content.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
        return (ref, UnsafeMutableRawBufferPointer(start: ref.content, count: count))
    }

    /// The bytes of a string, which live as long as the value; nil for another kind.
    package var stringBytes: UnsafeRawBufferPointer? { isCell && kind == .string ? contentBytes : nil }

    /// The bytes of a bytes value, which live as long as the value; nil for another kind.
    package var bytesValue: UnsafeRawBufferPointer? { isCell && kind == .bytes ? contentBytes : nil }

    var contentBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: content, count: cellCount) }

    private static var tooLong: CrosstieError {
        CrosstieError(.limitExceeded, "a string or bytes value is over \(maxSize) bytes")
    }
}
