import Synchronization

/// The slot that an opening of the group has, which is another one when it has lost its own.
final class Seat {
    private unowned let group: Group
    private let place: Atomic<Int>

    init(_ slot: Int, of group: Group) {
        self.group = group
        place = Atomic(slot)
    }

    @inline(__always)
    var slot: Int { place.load(ordering: .acquiring) }

    func move(to slot: Int) { place.store(slot, ordering: .releasing) }

    /// The number of the opening.
    var openingID: UInt64 { group.openingID(slot) }
}
