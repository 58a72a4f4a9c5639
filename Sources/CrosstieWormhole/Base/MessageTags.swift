/// The tags of a message beside its value: its expiry time, and headers. They precede the value in the records of
/// messages that have them, and are absent in others.
package struct MessageTags {
    /// One header.
    package struct Pair {
        package let name: UnsafeRawBufferPointer
        package let value: UnsafeRawBufferPointer
    }

    /// 12 bytes, then the headers: a size of the name in 1 byte, of the value in 2, name and value.
    let bytes: UnsafeRawBufferPointer

    static var headerSize: Int { 12 }
    static var pairHeaderSize: Int { 3 }
    package static var maximumCount: Int { 32 }
    /// Bytes of all names and values.
    package static var maximumSize: Int { 4096 }
    package static var maximumNameSize: Int { 128 }

    /// The bytes before a value, of which every one may be wrong; nil if they are not tags. The headers are not looked
    /// at.
    @inline(__always)
    init?(before payload: UnsafeRawBufferPointer) {
        guard payload.count >= MessageTags.headerSize else { return nil }
        let size = Int(payload.loadUnaligned(as: UInt16.self))
        guard size >= MessageTags.headerSize, size <= payload.count else { return nil }
        bytes = UnsafeRawBufferPointer(rebasing: payload[..<size])
    }

    /// The same bytes, as a message lends them; nil for none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MessageTags.headerSize else { return nil }
        self.bytes = bytes
    }

    /// Nanoseconds since 1970-01-01 UTC; 0 for never.
    @inline(__always)
    var expiry: Int64 { bytes.loadUnaligned(fromByteOffset: 4, as: Int64.self) }

    var hasExpired: Bool { expiry != 0 && expiry <= WallClock.now() }

    package var count: Int { min(Int(bytes[2]), MessageTags.maximumCount) }

    /// Whether the headers are valid.
    var isSound: Bool {
        var position = MessageTags.headerSize
        for _ in 0..<bytes[2] {
            guard let pair = pair(at: &position), isUTF8(pair.name), isUTF8(pair.value) else { return false }
        }
        return position == bytes.count && bytes[2] <= MessageTags.maximumCount
    }

    /// The header of an index, in the order in which they were given; nil when there is none.
    package subscript(_ index: Int) -> Pair? {
        guard index >= 0, index < count else { return nil }
        var position = MessageTags.headerSize
        for _ in 0..<index { _ = pair(at: &position) }
        return pair(at: &position)
    }

    /// The value of a header.
    package func value(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var position = MessageTags.headerSize
        for _ in 0..<count {
            guard let pair = pair(at: &position) else { return nil }
            if equalBytes(pair.name, name) { return pair.value }
        }
        return nil
    }

    private func pair(at position: inout Int) -> Pair? {
        let begin = position &+ MessageTags.pairHeaderSize
        guard begin <= bytes.count else { return nil }
        let nameEnd = begin &+ Int(bytes[position])
        let end = nameEnd &+ Int(bytes.loadUnaligned(fromByteOffset: position &+ 1, as: UInt16.self))
        guard end <= bytes.count else { return nil }
        position = end
        return Pair(
            name: UnsafeRawBufferPointer(rebasing: bytes[begin..<nameEnd]),
            value: UnsafeRawBufferPointer(rebasing: bytes[nameEnd..<end]))
    }
}

extension MessageTags {
    /// The bytes of some headers, which are checked, and of an expiry; nil when there is neither.
    static func encoded(_ headers: [(name: [UInt8], value: [UInt8])], expiry: Int64) -> [UInt8]? {
        if headers.isEmpty, expiry == 0 { return nil }
        let size = headers.reduce(headerSize) { $0 + pairHeaderSize + $1.name.count + $1.value.count }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        withUnsafeBytes(of: UInt16(clamping: size)) { bytes += $0 }
        bytes += [UInt8(clamping: headers.count), 0]
        withUnsafeBytes(of: expiry) { bytes += $0 }
        for header in headers {
            bytes.append(UInt8(clamping: header.name.count))
            withUnsafeBytes(of: UInt16(clamping: header.value.count)) { bytes += $0 }
            bytes += header.name
            bytes += header.value
        }
        return bytes
    }
}

extension MessageTags {
    /// All headers.
    var headers: [String: String] {
        var found: [String: String] = [:]
        for index in 0..<count {
            guard let pair = self[index] else { break }
            found[String(decoding: pair.name, as: UTF8.self)] = String(decoding: pair.value, as: UTF8.self)
        }
        return found
    }
}
