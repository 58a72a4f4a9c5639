internal import CPlatform

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
    func step(_ low: UInt64, _ high: UInt64, _ seeds: RouteSeeds) -> PathHash {
        let product = (low ^ word).multipliedFullWidth(by: high ^ seeds.factor)
        return PathHash(word: product.high ^ product.low)
    }

    /// The hash after the step to the plain parameter: a node has only one, so a sum is enough.
    @inline(__always)
    func stepToParameter() -> PathHash { PathHash(word: word &+ 0xD6E8_FEB8_6659_FD93) }

    /// The hash after the step to another kind of child, each with its own salt. Were it a sum, all ways that differ in
    /// order alone would end in one bucket of the table, which an attacker could make use of.
    @inline(__always)
    func step(salt: UInt32, _ seeds: RouteSeeds) -> PathHash { step(UInt64(salt), 0, seeds) }

    /// The part that entries store.
    @inline(__always) var print: UInt32 { UInt32(truncatingIfNeeded: word) }
}
