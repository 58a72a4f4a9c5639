internal import CPlatform

/// Sums up the steps that lead from the root to a node.
///
/// The steps of a URL stand in the table where this hash says, which follows from the URL alone, not from what was
/// found on the way: the processor loads the next steps while it still compares the first.
struct PathHash {
    let word: UInt64

    @inline(__always) init(word: UInt64) { self.word = word }

    /// What comes of a literal step.
    @inline(__always)
    func step(_ key: SegmentKey, _ seeds: RouteSeeds) -> PathHash { step(key.low, key.high, seeds) }

    @inline(__always)
    func step(_ low: UInt64, _ high: UInt64, _ seeds: RouteSeeds) -> PathHash {
        let product = (low ^ word).multipliedFullWidth(by: high ^ seeds.factor)
        return PathHash(word: product.high ^ product.low)
    }

    /// What comes of the step to the plain parameter: there is but one at a node, so that a sum will do.
    @inline(__always)
    func stepToParameter() -> PathHash { PathHash(word: word &+ 0xD6E8_FEB8_6659_FD93) }

    /// What comes of the step to another kind of child, each with a salt of its own. Were it a sum, all ways that
    /// differ in order alone would end at one place of the table, which somebody could make use of.
    @inline(__always)
    func step(salt: UInt32, _ seeds: RouteSeeds) -> PathHash { step(UInt64(salt), 0, seeds) }

    /// What entries keep of it.
    @inline(__always) var print: UInt32 { UInt32(truncatingIfNeeded: word) }
}
