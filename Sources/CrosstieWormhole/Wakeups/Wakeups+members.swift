internal import CPlatform
import Synchronization

/// The members of the group. A slot is owned by the lock on its first byte, which ends with its process, however that
/// dies. Without a file, the live mask alone says which slots are taken.
extension Wakeups {
    var hasFile: Bool { file >= 0 }

    /// The fields of a slot.
    enum SlotLayout {
        static var pid: RecordField<Int32> { RecordField(0) }
        static var nameSize: RecordField<UInt32> { RecordField(4) }
        static var start: RecordField<UInt64> { RecordField(8) }
        static var since: RecordField<Int64> { RecordField(16) }
        static var nameOffset: Int { 24 }
        static var namespace: RecordField<UInt64> { RecordField(nameOffset + maximumNameSize) }
        static var reader: RecordField<Int32> { RecordField(nameOffset + maximumNameSize + 8) }
    }

    static var maximumNameSize: Int { WormholeOptions.maximumNameSize }

    /// Whether another process has the files open.
    var isUsedByOthers: Bool {
        guard hasFile else { return false }
        return cp_is_locked(file, Int64(WakeupsLayout.useByteOffset), 1)
    }

    /// Says that this process has no use for the files any more.
    func endUse() { _ = cp_lock_byte(file, Int64(WakeupsLayout.useByteOffset), false) }

    /// Resets all state that does not outlive the processes. No other process may be using the group.
    func reset() throws(CrosstieError) {
        memset(base + WakeupsLayout.headerSize, 0, WakeupsLayout.size - WakeupsLayout.headerSize)
        try makeLocks()
    }

    /// Initializes the locks of zeroed wakeups, and touches no other page.
    func makeLocks() throws(CrosstieError) {
        for lock in [writerLock, wakeLocks.0, wakeLocks.1, growthLock] {
            let failure = cp_robust_init(lock)
            guard failure == 0 else { throw .system("initialize a shared mutex", failure) }
        }
    }

    /// Takes a free slot, other than `own`, which are this process's. The writer's lock is held.
    func claimSlot(own: [Bool], name: String) throws(CrosstieError) -> Int {
        for slot in 0..<WakeupsLayout.memberCapacity where !own[slot] && !isAwaited(slot) && lockSlot(slot) {
            setBit(slot, in: WakeupsLayout.awaitedMaskOffset, false)
            occupy(slot, Member(process: .own(), since: WallClock.now(), name: name))
            return slot
        }
        throw Wakeups.noSlotLeft
    }

    static var noSlotLeft: CrosstieError {
        CrosstieError(.limitExceeded, "the group is open \(WakeupsLayout.memberCapacity) times already")
    }

    /// Enters a member in a slot. The writers' lock is held.
    func occupy(_ slot: Int, _ member: Member) {
        forgetListening(slot)
        describe(slot, member)
        wakeup(slot).pointee.store(0, ordering: .sequentiallyConsistent)
        setBit(slot, in: WakeupsLayout.liveMaskOffset, true)
        notifyPresence()
    }

    func lockSlot(_ slot: Int) -> Bool {
        hasFile ? cp_lock_byte(file, Wakeups.lockOffset(slot), true) : !isLive(slot)
    }

    /// Gives a slot back. The writer's lock is held.
    func releaseSlot(_ slot: Int) {
        setBit(slot, in: WakeupsLayout.liveMaskOffset, false)
        setBit(slot, in: WakeupsLayout.awaitedMaskOffset, false)
        forgetListening(slot)
        notifyPresence()
        if hasFile { _ = cp_lock_byte(file, Wakeups.lockOffset(slot), false) }
    }

    /// Clears what dead processes have left in the masks. The writer's lock is held.
    func reapSlots(own: [Bool]) {
        var isAnyDead = false
        everybody.forEach { slot in
            guard !own[slot], !isAlive(slot) else { return }
            setBit(slot, in: WakeupsLayout.liveMaskOffset, false)
            setBit(slot, in: WakeupsLayout.awaitedMaskOffset, false)
            forgetListening(slot)
            isAnyDead = true
        }
        if isAnyDead { notifyPresence() }
    }

    /// Whether the process of a slot, which is not this one, lives. The kernel gives its lock back when the process ends,
    /// unless a child that it forked has kept the file open; so where this process can look for it, it does.
    func isAlive(_ slot: Int) -> Bool {
        guard hasFile else { return isLive(slot) }
        if isAwaited(slot) { return true }
        return cp_is_locked(file, Wakeups.lockOffset(slot), 1) && !process(slot).isKnownDead(from: namespace)
    }

    /// The process that has a slot, by its own account.
    func process(_ slot: Int) -> ProcessIdentity {
        let record = record(slot)
        return ProcessIdentity(
            pid: record[SlotLayout.pid], start: record[SlotLayout.start],
            namespace: record[SlotLayout.namespace])
    }

    /// Whether it is this process's turn to look for dead members: one process does so for all, about once a second.
    var isTurnToLook: Bool { isTurn(WakeupsLayout.lookTimeOffset, after: 900_000_000) }

    /// Whether a slot is taken, as far as is known: by a process that died lately, too.
    func isLive(_ slot: Int) -> Bool { everybody.contains(slot) }

    /// Since when a slot is taken: nanoseconds since 1970-01-01 UTC.
    func since(_ slot: Int) -> Int64 { record(slot)[SlotLayout.since] }

    private func forgetListening(_ slot: Int) {
        forgetQueues(slot)
        _ = endTimekeeping(slot)
        setBit(slot, in: WakeupsLayout.prefixMaskOffset, false)
        for bucket in 0..<WakeupsLayout.bucketCount {
            setBit(slot, in: WakeupsLayout.bucketsOffset + bucket * MemberMask.size, false)
        }
    }

    /// Notes that a slot has no queue listener any more. The writers' lock is held.
    func forgetQueues(_ slot: Int) {
        setBit(slot, in: WakeupsLayout.queueMaskOffset, false)
        queuesConsumed(slot).pointee.store(.max, ordering: .sequentiallyConsistent)
        countInterestChange()
    }

    /// Has every process read the interests again. Before the change is committed.
    func countInterestChange() { interestVersion.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    func record(_ slot: Int) -> UnsafeMutableRawPointer {
        base + WakeupsLayout.membersOffset + (slot & (WakeupsLayout.memberCapacity - 1)) * WakeupsLayout.memberStride
    }

    private static func lockOffset(_ slot: Int) -> Int64 {
        Int64(WakeupsLayout.membersOffset + slot * WakeupsLayout.memberStride)
    }
}

/// Notifying watchers that a member has joined or left.
extension Wakeups {

    @inline(__always)
    var presenceVersion: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.presenceVersionOffset) }

    /// After the change.
    func notifyPresence() {
        presenceVersion.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        wake(notify(mask(Wakeups.bucketOffset(IdentifierHash.members))))
    }
}

/// The reader number of each process in the store.
extension Wakeups {
    /// Notes under which number the process of a slot reads.
    func noteReader(_ slot: Int, _ number: Int32) {
        record(slot)[SlotLayout.reader] = number
    }

    /// The process that reads under a number; nil if it has left.
    func process(ofReader number: Int32) -> ProcessIdentity? {
        var found: ProcessIdentity?
        everybody.forEach { slot in
            let other = record(slot)[SlotLayout.reader]
            if other == number { found = process(slot) }
        }
        return found
    }
}
