/// A reader of a frame's fields. Every length is checked against the bytes that are there; nil where they are not.
struct FrameReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    mutating func short() -> Int? { take(2).map { Int(UInt16(littleEndian: $0.loadUnaligned(as: UInt16.self))) } }

    mutating func word() -> UInt32? { take(4).map { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) } }

    mutating func long() -> UInt64? { take(8).map { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) } }

    /// Bytes with their length in 16 bits before them.
    mutating func shortBytes() -> UnsafeRawBufferPointer? { short().flatMap { take($0) } }

    /// Bytes with their length in 32 bits before them.
    mutating func longBytes() -> UnsafeRawBufferPointer? { word().flatMap { take(Int($0)) } }

    /// The rest of the frame.
    mutating func rest() -> UnsafeRawBufferPointer {
        defer { offset = bytes.count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset...])
    }

    /// A list of exported names.
    mutating func names() -> [String]? {
        guard let count = short(), count <= NameList.maximumCount else { return nil }
        var names: [String] = []
        for _ in 0..<count {
            guard let name = shortBytes(), NameList.isValid(name) else { return nil }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }
}
