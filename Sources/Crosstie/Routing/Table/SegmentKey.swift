internal import CPlatform

/// A segment as the hash table knows it: up to 16 bytes in two words, longer ones by a hash of them.
struct SegmentKey {
    let low: UInt64
    let high: UInt64
    /// The length, with a bit that distinguishes hashes from text: a long segment could be made to look short.
    let size: UInt32

    static var longBit: UInt32 { 1 << 31 }
    @inline(__always) var isLong: Bool { size & Self.longBit != 0 }
    @inline(__always) var length: Int { Int(size & (Self.longBit &- 1)) }

    /// The longest segment that is kept as text.
    static var inline: Int { 16 }

    /// Reads up to 15 bytes past the segment.
    init(_ bytes: UnsafeRawPointer, _ length: Int, seeds: RouteSeeds) {
        self = length <= Self.inline ? SegmentKey(short: bytes, length) : SegmentKey(long: bytes, length, seeds: seeds)
    }

    @inline(__always)
    init(short bytes: UnsafeRawPointer, _ length: Int) {
        let words = cp_segment_words(bytes, UInt32(truncatingIfNeeded: length))
        (low, high) = (words.low, words.high)
        size = UInt32(truncatingIfNeeded: length)
    }

    init(long bytes: UnsafeRawPointer, _ length: Int, seeds: RouteSeeds) {
        (low, high) = (seeds.hash(bytes, length), 0)
        size = UInt32(truncatingIfNeeded: length) | Self.longBit
    }

    /// The key of an entry whose reference is not looked at.
    init(of entry: RouteEntry) {
        (low, size) = (entry.low, entry.size)
        high = size & Self.longBit != 0 ? 0 : entry.high
    }
}
