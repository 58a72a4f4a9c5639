/// MessagePack, the form of values on the wire: the standard types only, strictly.
///
/// To write into memory of one's own (a database's page), materialize the value, ask for its
/// ``encodedSize(of:)`` and then ``encode(_:into:)``.
package enum MessagePack {
    /// Reads a message of exactly one value.
    ///
    /// - Parameter descriptors: those that the message may name, by their index.
    /// - Throws: `invalidFormat`, `invalidUTF8`, `duplicateKey` or `limitExceeded` with the offset ("byte 12"); `outOfMemory`.
    package static func decode(
        _ message: UnsafeRawBufferPointer, _ descriptors: [Descriptor] = []
    ) throws(CrosstieError) -> ValueRef {
        var none = OutsideBytes.none
        return try decode(message, descriptors, &none)
    }

    /// The same with bytes beside the message, of which it takes those that it names.
    package static func decode(
        _ message: UnsafeRawBufferPointer, _ descriptors: [Descriptor], _ outside: inout OutsideBytes
    ) throws(CrosstieError) -> ValueRef {
        guard message.count <= ValueRef.maxSize else {
            throw CrosstieError(.limitExceeded, "the message is over \(ValueRef.maxSize) bytes")
        }
        var reader = MessagePackReader(message, descriptors, outside)
        let value = try reader.readMessage()
        outside = reader.outside
        return value
    }

    /// Writes a value, its foreign ones materialized, as an owned bytes value.
    ///
    /// - Throws: `foreignValue` with the path of an object without a plain form; `limitExceeded`; `outOfMemory`.
    package static func encode(_ value: ValueRef) throws(CrosstieError) -> ValueRef {
        let plain = try value.materialized()
        defer { plain.release() }
        let (ref, room) = try ValueRef.unfilled(.bytes, count: try encodedSize(of: plain))
        _ = encode(plain, into: room)
        return ref
    }

    /// The bytes that ``encode(_:into:)`` will write.
    ///
    /// - Parameter namesDescriptors: whether the value may have descriptors, as a frame for a joined peer does.
    /// - Throws: `foreignValue` for a value that has not been materialized.
    package static func encodedSize(
        of value: ValueRef, namesDescriptors: Bool = false
    ) throws(CrosstieError) -> Int {
        guard namesDescriptors || !value.holdsForeign else {
            throw CrosstieError(.foreignValue, "a foreign value has no wire form")
        }
        guard SizeWalk.isWorth(for: value) else { return plainSize(of: value) }
        var walk = SizeWalk(own: ownSize, entry: { stringSize(Int($0.keySize)) })
        return walk.size(of: value)
    }

    /// Writes a value that has been materialized.
    ///
    /// - Returns: the bytes written; nil when there is too little room.
    package static func encode(_ value: ValueRef, into room: UnsafeMutableRawBufferPointer) -> Int? {
        guard let start = room.baseAddress else { return nil }
        var writer = MessagePackWriter(start: start, count: room.count)
        return writer.write(value) ? writer.offset : nil
    }

    /// The same with descriptors, which the message names by their index in a list that it appends them to, and without the
    /// contents of bytes values of that size, of which it makes a list.
    package static func encode(
        _ value: ValueRef, into room: UnsafeMutableRawBufferPointer, _ descriptors: inout [Descriptor],
        leavingOutside least: Int, _ outside: inout [OutsideValue]
    ) -> Int? {
        guard let start = room.baseAddress else { return nil }
        var writer = MessagePackWriter(start: start, count: room.count, descriptors, leastOutside: least)
        guard writer.write(value) else { return nil }
        (descriptors, outside) = (writer.descriptors, writer.outside)
        return writer.offset
    }

    /// The first byte of bytes inside a message, where it has another one for bytes that are outside. Both have a size of 32
    /// bits behind it.
    package static var insideLead: UInt8 { Lead.bytes8 &+ 2 }

    private static func plainSize(of value: ValueRef) -> Int {
        switch value.kind {
        case .list: return value.items.reduce(ownSize(of: value)) { $0 &+ plainSize(of: $1) }
        case .map:
            return value.entries.reduce(ownSize(of: value)) {
                $0 &+ stringSize(Int($1.keySize)) &+ plainSize(of: $1.value)
            }
        default: return ownSize(of: value)
        }
    }

    /// Without the parts inside.
    @inline(__always)
    private static func ownSize(of value: ValueRef) -> Int {
        switch value.kind {
        case .null, .bool: 1
        case .foreign: 3
        case .int: intSize(value.intValue ?? 0)
        case .double: 9
        case .string: stringSize(value.cellCount)
        case .bytes: (value.cellCount < 1 << 8 ? 2 : value.cellCount < 1 << 16 ? 3 : 5) &+ value.cellCount
        case .list, .map: containerSize(value.cellCount)
        }
    }

    private static func intSize(_ value: Int64) -> Int {
        let magnitude = value < 0 ? UInt64(bitPattern: ~value) << 1 : UInt64(bitPattern: value)
        if value >= -32 && value < 128 { return 1 }
        return magnitude < 1 << 8 ? 2 : magnitude < 1 << 16 ? 3 : magnitude < 1 << 32 ? 5 : 9
    }

    private static func stringSize(_ count: Int) -> Int {
        (count < 32 ? 1 : count < 1 << 8 ? 2 : count < 1 << 16 ? 3 : 5) &+ count
    }

    private static func containerSize(_ count: Int) -> Int { count < 16 ? 1 : count < 1 << 16 ? 3 : 5 }
}
