internal import CPlatform
internal import Glibc
import Synchronization

/// A group whose files were removed while it was open moves to other files. These are copies of the old ones, in which
/// every process keeps its slot.
extension Wakeups {
    /// The location of the group, as the wakeups state it.
    enum MoveState {
        static var here: UInt64 { 0 }
        /// No process writes here any more; other files are being made.
        static var moving: UInt64 { 1 }
        static var elsewhere: UInt64 { 2 }
        /// Another group has taken this one in, with numbers of its own.
        static var takenIn: UInt64 { 3 }
    }

    /// One of ``MoveState``. Changed with the writers' lock held, and read by its owner.
    var moved: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.movedOffset) }

    @inline(__always)
    var isMoved: Bool { moved.pointee.load(ordering: .acquiring) != MoveState.here }

    var lineage: UInt64 { word(WakeupsLayout.lineageOffset).pointee.load(ordering: .relaxed) }

    var generation: UInt64 { word(WakeupsLayout.generationOffset).pointee.load(ordering: .relaxed) }

    /// The inode of the store that they belong to.
    var dataFile: UInt64 {
        get { word(WakeupsLayout.dataFileOffset).pointee.load(ordering: .relaxed) }
        nonmutating set { word(WakeupsLayout.dataFileOffset).pointee.store(newValue, ordering: .relaxed) }
    }

    func beginLineage() {
        var number: UInt64 = 0
        if !cp_random_bytes(&number, 8) { number = Clock.now() }
        word(WakeupsLayout.lineageOffset).pointee.store(number | 1, ordering: .relaxed)
    }

    /// Whether they belong to the same group after its files were recreated.
    func succeeds(_ old: Wakeups) -> Bool { lineage == old.lineage && generation > old.generation }

    /// Has all members that have them open move to the group of other wakeups. The writers' lock is held.
    func join(_ other: Wakeups) {
        word(WakeupsLayout.lineageOffset).pointee.store(other.lineage, ordering: .relaxed)
        word(WakeupsLayout.generationOffset).pointee.store(0, ordering: .relaxed)
        moved.pointee.store(MoveState.takenIn, ordering: .releasing)
    }

    var isTakenIn: Bool { moved.pointee.load(ordering: .acquiring) == MoveState.takenIn }

    /// For wakeups that were taken in: the other group's newest number before.
    var moveSequence: UInt64 {
        get { word(WakeupsLayout.moveSequenceOffset).pointee.load(ordering: .relaxed) }
        nonmutating set { word(WakeupsLayout.moveSequenceOffset).pointee.store(newValue, ordering: .relaxed) }
    }

    /// Copies the group's state and its members from other wakeups. No process writes there.
    func takeOver(_ old: Wakeups) throws(CrosstieError) {
        base.copyMemory(from: old.base, byteCount: WakeupsLayout.size)
        moved.pointee.store(MoveState.here, ordering: .relaxed)
        word(WakeupsLayout.urgentOffset).pointee.store(0, ordering: .relaxed)
        word(WakeupsLayout.generationOffset).pointee.store(old.generation &+ 1, ordering: .relaxed)
        word(WakeupsLayout.moveTimeOffset).pointee.store(Clock.now(), ordering: .relaxed)
        for slot in 0..<WakeupsLayout.memberCapacity {
            setBit(slot, in: WakeupsLayout.awaitedMaskOffset, old.isLive(slot))
        }
        try makeLocks()
    }

    // MARK: Slots

    private static var patience: UInt64 { 30_000_000_000 }

    /// Whether a member has yet to move here.
    var awaitsSomebody: Bool { !mask(WakeupsLayout.awaitedMaskOffset).isEmpty }

    /// Whether the process of a slot has not come over yet, and may. One of this process's own namespace is waited for
    /// as long as it lives, any other one for half a minute.
    func isAwaited(_ slot: Int) -> Bool {
        guard mask(WakeupsLayout.awaitedMaskOffset).contains(slot) else { return false }
        let process = process(slot)
        if process.namespace != 0, process.namespace == namespace { return !process.isKnownDead(from: namespace) }
        let time = word(WakeupsLayout.moveTimeOffset).pointee.load(ordering: .relaxed)
        return Clock.now() &- time < Wakeups.patience
    }

    /// Claims the slots that this process had in other wakeups. Returns those that other processes have taken.
    func claimSlots(of old: Wakeups, own: [Bool]) -> [Int] {
        own.indices.filter { slot in
            guard own[slot] else { return false }
            guard member(slot) == old.member(slot), lockSlot(slot) else { return true }
            setBit(slot, in: WakeupsLayout.awaitedMaskOffset, false)
            return false
        }
    }

    // MARK: Cleaners

    /// Whether it is this process's turn to see to it that the files look used: about once an hour.
    var isTurnToTouch: Bool { isTurn(WakeupsLayout.touchTimeOffset, after: 3_600_000_000_000) }

    /// Whether no process has taken a turn for some time; this process takes it then.
    func isTurn(_ offset: Int, after span: UInt64) -> Bool {
        let now = Clock.now()
        let last = word(offset)
        let before = last.pointee.load(ordering: .relaxed)
        guard now &- before > span else { return false }
        return last.pointee.compareExchange(expected: before, desired: now, ordering: .relaxed).exchanged
    }
}
