import Synchronization

/// The slot of a member. It changes if the member loses its slot.
final class MemberSlot {
    private unowned let group: Group
    private let index: Atomic<Int>

    init(_ slot: Int, of group: Group) {
        self.group = group
        index = Atomic(slot)
    }

    @inline(__always)
    var slot: Int { index.load(ordering: .acquiring) }

    func move(to slot: Int) { index.store(slot, ordering: .releasing) }

    /// The member's number.
    var memberID: UInt64 { group.memberID(slot) }
}
