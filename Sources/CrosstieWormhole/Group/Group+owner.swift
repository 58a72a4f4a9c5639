/// The number of a member, which claims in the store contain to identify their owner.
extension Group {
    /// The number of the opening that has a slot: the slot in the low 8 bits, above it since when, so that the next
    /// opening in the slot is another one.
    func memberID(_ slot: Int) -> UInt64 {
        UInt64(bitPattern: wakeups.since(slot)) & ~0xFF | UInt64(truncatingIfNeeded: slot & 0xFF)
    }

    /// Whether the opening of a number lives. The writers' lock is held.
    func isAlive(owner: UInt64) -> Bool {
        let slot = Int(owner & 0xFF)
        guard wakeups.isLive(slot), memberID(slot) == owner else { return false }
        return ownSlots[slot] || wakeups.isAlive(slot)
    }
}
