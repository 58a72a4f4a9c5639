internal import CPlatform

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
