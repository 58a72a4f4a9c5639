import Synchronization

/// Approximate positions of queued messages: a set of hashes for each 32 sequence numbers, so that a search for one
/// identifier's messages skips the rest of the log. Eight of these sets form a stretch, which takes one cache line.
/// This covers the newest 1,048,576 numbers.
extension Wakeups {
    private static var shift: UInt64 { 8 }
    private static var partShift: UInt64 { 5 }
    /// Of each part, behind the first word, which says whose numbers the sets are of.
    private static var partBits: UInt64 { 56 }

    /// Notes that a message of a hash is being queued. Before it is committed; the writers' lock is held.
    @inline(__always)
    func noteQueued(_ sequence: UInt64, hash: UInt64) {
        let stretch = sequence >> Wakeups.shift
        let set = stretchWord(stretch)
        if set.pointee.load(ordering: .relaxed) != stretch &+ 1 { begin(stretch, with: sequence) }
        let (index, bit) = Wakeups.position(of: hash, in: sequence >> Wakeups.partShift)
        set[index].store(set[index].load(ordering: .relaxed) | bit, ordering: .relaxed)
    }

    /// Makes empty sets for a stretch, in place of one that is long past.
    @inline(never)
    private func begin(_ stretch: UInt64, with sequence: UInt64) {
        let since = word(WakeupsLayout.queuedSinceOffset)
        if since.pointee.load(ordering: .relaxed) == 0 { since.pointee.store(sequence, ordering: .relaxed) }
        let set = stretchWord(stretch)
        // A reader that looks at it now, or after its writer's death, must assume any identifier.
        set.pointee.store(.max, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        for index in 1..<WakeupsLayout.stretchStride / 8 { set[index].store(0, ordering: .relaxed) }
        set.pointee.store(stretch &+ 1, ordering: .releasing)
    }

    /// The next numbers after one and below another among which there may be queued messages of a hash: the first
    /// and the last one, which may lie above `end`. Nil if there are none.
    func nextQueued(after number: UInt64, below end: UInt64, hash: UInt64) -> (first: UInt64, last: UInt64)? {
        let shift = Wakeups.partShift
        var part = (number &+ 1) >> shift
        // Each slot holds one stretch at most that is not older.
        var left = WakeupsLayout.stretchCount << (Wakeups.shift - shift)
        while !mayHold(part, hash) {
            part &+= 1
            left -= 1
            guard left > 0, part << shift < end else { return nil }
        }
        let first = max(number &+ 1, part << shift)
        guard first < end else { return nil }
        // One look into the log for several that follow each other.
        let limit = part &+ 512
        repeat { part &+= 1 } while part < limit && part << shift < end && mayHold(part, hash)
        return (first, part << shift &- 1)
    }

    private func mayHold(_ part: UInt64, _ hash: UInt64) -> Bool {
        let stretch = part >> (Wakeups.shift - Wakeups.partShift)
        let since = word(WakeupsLayout.queuedSinceOffset).pointee.load(ordering: .acquiring)
        // Messages queued before these wakeups were set up are not noted here.
        guard since > 0, stretch << Wakeups.shift >= since else { return true }
        let set = stretchWord(stretch)
        let owner = set.pointee.load(ordering: .acquiring)
        // Older ones make room for newer ones only: in this stretch nothing has been queued.
        if owner <= stretch { return false }
        if owner > stretch &+ 1 { return true }
        let (index, bit) = Wakeups.position(of: hash, in: part)
        if set[index].load(ordering: .acquiring) & bit != 0 { return true }
        return set.pointee.load(ordering: .acquiring) != stretch &+ 1
    }

    @inline(__always)
    private func stretchWord(_ stretch: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        let index = Int(truncatingIfNeeded: stretch & (WakeupsLayout.stretchCount - 1))
        return word(WakeupsLayout.stretchesOffset + index * WakeupsLayout.stretchStride)
    }

    /// Which word of a stretch's, and which bit of it. The lowest bits of a hash choose buckets, and are used elsewhere.
    @inline(__always)
    private static func position(of hash: UInt64, in part: UInt64) -> (word: Int, bit: UInt64) {
        let position = (part & 7) &* partBits &+ ((hash >> 20 & 0xFFFF_FFFF) &* partBits) >> 32
        return (Int(truncatingIfNeeded: position >> 6) + 1, 1 << (position & 63))
    }
}
