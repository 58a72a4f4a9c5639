internal import Glibc
import Synchronization

/// The openings of a group that a host keeps. Those of other processes and wormholes stand in this one's bells like
/// its own, so that whatever asks the bells who is there finds them.
///
/// Used with the writers' lock held.
final class HostOpenings {
    let transport: HostTransport
    private let bells: Bells
    private let namespace = ProcessFiles.ownNamespace()
    /// This wormhole's own slot, once it has one.
    private var slot: Int?
    /// The state in the store, and that in the current transaction.
    private var published: Opening?
    private var draft: Opening?
    /// The others that are in the bells.
    private var others: [Int: Opening] = [:]
    /// Those found dead and still in the store, with the time at which each got its slot.
    private var dead: [Int: Int64] = [:]
    /// What the transport rings, if it does.
    private var bell: UnsafeMutablePointer<HostBell>?

    init(_ transport: HostTransport, bells: Bells) {
        self.transport = transport
        self.bells = bells
    }

    func beginWatching() throws(CrosstieError) {
        if transport.canWatch { bell = try HostBell.hang(bells, on: transport) }
    }

    func endWatching() {
        if let bell { HostBell.takeDown(bell, from: transport) }
        bell = nil
    }

    // MARK: This one

    /// Takes a free slot in a transaction, under the number that the transport has given.
    func enter(_ opening: Opening, in transaction: borrowing StoreTransaction) throws(CrosstieError) -> Int {
        let openings = try transaction.openings()
        let living = try livingMembers()
        for slot in 0..<BellsLayout.slotCount where openings[slot].map({ !isAlive($0, living) }) ?? true {
            try transaction.put(opening, slot: slot)
            return slot
        }
        throw Bells.noSlotLeft
    }

    /// Notes that the transaction which ``enter(_:in:)`` was called in has been committed.
    func didEnter(_ opening: Opening, slot: Int) {
        bells.occupy(slot, opening.occupant)
        others[slot] = nil
        published = opening
        self.slot = slot
    }

    /// Writes down how far this one's queues are read, if that has changed.
    func publish(in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        draft = nil
        guard let slot, var opening = published, opening.heard != heard(slot) else { return }
        opening.heard = heard(slot)
        try transaction.put(opening, slot: slot)
        draft = opening
    }

    /// Notes that the transaction which ``publish(in:)`` was called in has been committed.
    func didCommit() {
        if let draft { published = draft }
    }

    var hasNews: Bool { slot.map { published?.heard != heard($0) } ?? false }

    private func heard(_ slot: Int) -> UInt64 {
        guard bells.mask(BellsLayout.queueMaskOffset).contains(slot) else { return .max }
        return bells.queuesHeard(slot).pointee.load(ordering: .acquiring)
    }

    // MARK: The others

    /// Takes over what a transaction finds in the store. Returns those that are dead and still in the store.
    @discardableResult
    func update(
        from transaction: borrowing StoreTransaction, asking: Bool
    ) throws(CrosstieError) -> [Int] {
        var found = try transaction.openings()
        if let slot { found[slot] = nil }
        if asking {
            // After the reading, so that every living one in the store is among them.
            let living = try livingMembers()
            dead = found.filter { !isAlive($0.value, living) }.mapValues(\.occupant.since)
        }
        found = found.filter { dead[$0.key] != $0.value.occupant.since }
        for slot in others.keys where found[slot] == nil { bells.releaseSlot(slot) }
        for (slot, opening) in found { show(opening, slot) }
        others = found
        return Array(dead.keys)
    }

    private func show(_ opening: Opening, _ slot: Int) {
        if others[slot]?.occupant.since != opening.occupant.since { bells.occupy(slot, opening.occupant) }
        bells.queuesHeard(slot).pointee.store(opening.heard, ordering: .releasing)
        bells.setBit(slot, in: BellsLayout.queueMaskOffset, opening.heard != .max)
    }

    /// Nil when the transport knows no members.
    private func livingMembers() throws(CrosstieError) -> Set<UInt64>? {
        transport.knowsMembers ? try transport.members() : nil
    }

    private func isAlive(_ opening: Opening, _ living: Set<UInt64>?) -> Bool {
        living.map { $0.contains(opening.member) } ?? opening.hasLivingProcess(seenFrom: namespace)
    }
}
