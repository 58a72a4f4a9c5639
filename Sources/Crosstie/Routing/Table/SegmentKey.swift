internal import CPlatform

/// A segment as the hash table knows it: up to 16 bytes in two words, longer ones by a hash of them.
struct SegmentKey {
    let low: UInt64
    let high: UInt64
    /// The length, with a bit that tells hashes from text: a long segment could be made to look short.
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

/// The seed of a table's hashes. Nobody can guess it, so that nobody can make segments that collide.
struct RouteSeeds {
    var start: UInt64 = 0x9E37_79B9_7F4A_7C15
    var factor: UInt64 = 0xD6E8_FEB8_6659_FD93

    static func random() -> RouteSeeds {
        var seeds = RouteSeeds()
        _ = withUnsafeMutableBytes(of: &seeds) { cp_random_bytes($0.baseAddress, $0.count) }
        return seeds
    }

    /// The hash of a segment of more than 16 bytes.
    @inline(never)
    func hash(_ bytes: UnsafeRawPointer, _ length: Int) -> UInt64 {
        var hash = PathHash(word: start ^ UInt64(truncatingIfNeeded: length))
        var at = 0
        while at < length {
            let words = cp_segment_words(bytes + at, UInt32(truncatingIfNeeded: min(length &- at, 16)))
            hash = hash.step(words.low, words.high, self)
            at &+= 16
        }
        return hash.word
    }
}

/// Sums up the steps that lead from the root to a node.
///
/// The steps of a URL are in the table at this hash, which depends on the URL alone, not on the nodes found on the way:
/// the processor loads the next steps while it still compares the first.
struct PathHash {
    let word: UInt64

    @inline(__always) init(word: UInt64) { self.word = word }

    /// The hash after a literal step.
    @inline(__always)
    func step(_ key: SegmentKey, _ seeds: RouteSeeds) -> PathHash { step(key.low, key.high, seeds) }

    @inline(__always)
    fileprivate func step(_ low: UInt64, _ high: UInt64, _ seeds: RouteSeeds) -> PathHash {
        let product = (low ^ word).multipliedFullWidth(by: high ^ seeds.factor)
        return PathHash(word: product.high ^ product.low)
    }

    /// The hash after the step to the plain parameter: a node has only one, so a sum is enough.
    @inline(__always)
    func stepToParameter() -> PathHash { PathHash(word: word &+ 0xD6E8_FEB8_6659_FD93) }

    /// The hash after the step to another kind of child, each with its own salt. Were it a sum, all ways that differ in
    /// order alone would end at one place of the table, which somebody could make use of.
    @inline(__always)
    func step(salt: UInt32, _ seeds: RouteSeeds) -> PathHash { step(UInt64(salt), 0, seeds) }

    /// The part that entries store.
    @inline(__always) var print: UInt32 { UInt32(truncatingIfNeeded: word) }
}
