import Synchronization

/// The slot that an opening of the group has, which is another one when it has lost its own.
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

    /// The number of the opening.
    var memberID: UInt64 { group.memberID(slot) }
}
