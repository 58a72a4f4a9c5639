internal import Glibc
import Synchronization

/// The members of a group that a host keeps. Those of other processes and wormholes are copied into this one's wakeups,
/// so that all code finds the members there.
///
/// Used with the writers' lock held.
final class HostMembers {
    let transport: HostTransport
    let steps: HostSteps
    private let wakeups: Wakeups
    private let namespace = ProcessFiles.ownNamespace()
    /// This wormhole's own slot, once it has one.
    private var slot: Int?
    /// The state in the store, and that in the current transaction.
    private var published: MemberRecord?
    private var draft: MemberRecord?
    /// The other members in the wakeups.
    private var others: [Int: MemberRecord] = [:]
    /// Those found dead and still in the store, with the time at which each got its slot.
    private var dead: [Int: Int64] = [:]
    /// The object that the transport notifies, if it supports that.
    private var wakeup: UnsafeMutablePointer<HostWakeup>?

    init(_ transport: HostTransport, _ steps: HostSteps, wakeups: Wakeups) {
        self.transport = transport
        self.steps = steps
        self.wakeups = wakeups
    }

    func beginWatching() throws(CrosstieError) {
        if transport.canWatch { wakeup = try HostWakeup.hang(wakeups, on: transport) }
    }

    func endWatching() {
        if let wakeup { HostWakeup.takeDown(wakeup, from: transport) }
        wakeup = nil
    }

    // MARK: This one

    /// Its record as it was stored last; nil before it is a member.
    var ownRecord: MemberRecord? { published }

    /// Takes a free slot in a transaction, under the number that the transport has given.
    func enter(_ record: MemberRecord, in transaction: borrowing StoreTransaction) throws(CrosstieError) -> Int {
        let records = try transaction.memberRecords()
        let living = try livingMembers()
        for slot in 0..<WakeupsLayout.memberCapacity where records[slot].map({ !isAlive($0, living) }) ?? true {
            if let dead = records[slot] { try transaction.removeToken(of: dead) }
            try transaction.put(record, slot: slot)
            return slot
        }
        throw Wakeups.noSlotLeft
    }

    /// Notes that the transaction which ``enter(_:in:)`` was called in has been committed.
    func didEnter(_ record: MemberRecord, slot: Int) {
        wakeups.occupy(slot, record.member)
        others[slot] = nil
        published = record
        self.slot = slot
    }

    /// Writes down how far this one's queues are read, if that has changed.
    func publish(in transaction: borrowing StoreTransaction) throws(CrosstieError) {
        draft = nil
        guard let slot, var record = published, record.consumed != consumed(slot) else { return }
        record.consumed = consumed(slot)
        try transaction.put(record, slot: slot)
        draft = record
    }

    /// Notes that the transaction which ``publish(in:)`` was called in has been committed.
    func didCommit() {
        if let draft { published = draft }
    }

    var hasNews: Bool { slot.map { published?.consumed != consumed($0) } ?? false }

    private func consumed(_ slot: Int) -> UInt64 {
        guard wakeups.mask(WakeupsLayout.queueMaskOffset).contains(slot) else { return .max }
        return wakeups.queuesConsumed(slot).pointee.load(ordering: .acquiring)
    }

    // MARK: The others

    /// Takes over the members that a transaction finds in the store. Returns those that are dead and still in the store.
    @discardableResult
    func update(
        from transaction: borrowing StoreTransaction, asking: Bool
    ) throws(CrosstieError) -> [Int] {
        var found = try transaction.memberRecords()
        if let slot { found[slot] = nil }
        if asking {
            // After the reading, so that every living one in the store is among them.
            let living = try livingMembers()
            dead = found.filter { !isAlive($0.value, living) }.mapValues(\.member.since)
        }
        found = found.filter { dead[$0.key] != $0.value.member.since }
        for slot in others.keys where found[slot] == nil { wakeups.releaseSlot(slot) }
        for (slot, record) in found { show(record, slot) }
        others = found
        return Array(dead.keys)
    }

    private func show(_ record: MemberRecord, _ slot: Int) {
        if others[slot]?.member.since != record.member.since { wakeups.occupy(slot, record.member) }
        wakeups.queuesConsumed(slot).pointee.store(record.consumed, ordering: .releasing)
        wakeups.setBit(slot, in: WakeupsLayout.queueMaskOffset, record.consumed != .max)
    }

    /// Nil when the transport knows no members.
    private func livingMembers() throws(CrosstieError) -> Set<UInt64>? {
        transport.knowsMembers ? try transport.members() : nil
    }

    private func isAlive(_ record: MemberRecord, _ living: Set<UInt64>?) -> Bool {
        living.map { $0.contains(record.transportID) } ?? record.hasLivingProcess(seenFrom: namespace)
    }
}
