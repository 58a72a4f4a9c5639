/// A segment as the hash table knows it: up to 16 bytes in two words, longer ones by a hash of them.
struct SegmentKey {
    let low: UInt64
    let high: UInt64
    let hash: UInt64
    /// The length, with a bit that tells hashes from text: a long segment could be made to look short.
    let tag: UInt64

    static var longBit: UInt64 { 1 << 31 }
    @inline(__always) var isLong: Bool { tag & Self.longBit != 0 }

    /// Reads up to 15 bytes past the segment.
    @inline(__always)
    init(_ bytes: UnsafeRawPointer, _ length: Int, seeds: (UInt64, UInt64)) {
        if length <= 16 {
            let (first, second) = Self.words(bytes, length)
            low = first
            high = second
            hash = Self.fold(first ^ seeds.0, second ^ seeds.1)
            tag = UInt64(truncatingIfNeeded: length)
        } else {
            hash = Self.longHash(bytes, length, seeds)
            (low, high) = (hash, 0)
            tag = UInt64(truncatingIfNeeded: length) | Self.longBit
        }
    }

    /// Up to 16 bytes, zeros behind them.
    @inline(__always)
    private static func words(_ bytes: UnsafeRawPointer, _ length: Int) -> (UInt64, UInt64) {
        let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        if length < 8 { return (first & ((1 &<< UInt64(length &* 8)) &- 1), 0) }
        return (first, second & ((1 << UInt64(length &* 8 &- 64)) &- 1))
    }

    /// The key of an entry whose reference is not looked at.
    init(of entry: RouteEntry, seeds: (UInt64, UInt64)) {
        (low, high, tag) = (entry.low, entry.high, entry.tag & 0xFFFF_FFFF)
        hash = tag & Self.longBit != 0 ? low : Self.fold(low ^ seeds.0, high ^ seeds.1)
    }

    var length: Int { Int(truncatingIfNeeded: tag & (Self.longBit &- 1)) }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    @inline(never)
    private static func longHash(_ bytes: UnsafeRawPointer, _ length: Int, _ seeds: (UInt64, UInt64)) -> UInt64 {
        var hash = seeds.0 ^ UInt64(truncatingIfNeeded: length)
        var at = 0
        while at < length {
            let (first, second) = words(bytes + at, min(length &- at, 16))
            hash = fold(first ^ hash, second ^ seeds.1)
            at &+= 16
        }
        return hash
    }
}
