internal import Glibc
import Synchronization

/// A group as this process has it open, whatever number of wormholes share it.
final class Group {
    let location: GroupLocation
    let currentWakeups: CurrentWakeups
    @inline(__always)
    var wakeups: Wakeups { currentWakeups.wakeups }
    let store: any RecordStore
    /// The other members, if a host's transport keeps the group.
    let hostMembers: HostMembers?
    /// Guarded by the writers' lock.
    var limits: StoreLimits
    let process = ProcessIdentity.own()
    let logs = GroupLogs()
    let expirySweep = ExpirySweep()
    /// Which start of the machine this is; 0 where members may be on several machines.
    let boot: UInt64
    /// The listeners that need every message, by topic. Guarded by the writers' lock.
    let interests = Interests()
    /// Guarded by the writers' lock.
    let queuedCounts = QueuedCounts()
    /// Guarded by the writers' lock.
    let skippedMessages = SkippedMessages()
    /// Guarded by the writers' lock.
    let knownConsumers = KnownConsumers()
    /// Guarded by the writers' lock.
    let backlogBounds = BacklogBounds()
    /// For a store whose writers wait for the disk: they do it together.
    let combined: CombinedWriter?
    /// Whether a step is being made once more that found no room. Guarded by the writers' lock.
    var isShortOfRoom = false
    /// The number of messages that its durable listeners have consumed since this process trimmed the log for that.
    /// Guarded by the writers' lock.
    var consumedCount = 0
    /// The log's end after this process's last step, with the number of its transaction: known as long as no other
    /// process has written since. Guarded by the writers' lock.
    var knownTail: (transaction: UInt64, tail: LogTail)?
    /// Whether a writer has committed without announcing it, and nothing has been announced since. Guarded by the
    /// writers' lock.
    var hasFoundGap = false
    /// Up to this number no thread waits for writers to announce their commits.
    let abandoned = Atomic<UInt64>(0)
    /// Which slots are this process's. Guarded by the registry's lock and the writer's.
    var ownSlots = [Bool](repeating: false, count: WakeupsLayout.memberCapacity)
    /// By slot; they change their slots when others have those. Guarded as ``ownSlots``.
    var memberSlots: [Int: MemberSlot] = [:]
    /// The time of the next check of the group's files, by the coarse clock; and the time since when this process waits
    /// for others to recreate them.
    let nextFileCheck: Atomic<UInt64>
    let missingSince = Atomic<UInt64>(0)
    /// The number of times that the group has moved to other files.
    let moveCount = Atomic<UInt64>(0)
    let hasReportedFailure = Atomic(false)
    let readCount = Atomic<UInt32>(0)
    /// The number of times that another group has taken this one in, and its newest number before that: listeners start
    /// over then.
    let takenInCount = Atomic<UInt64>(0)
    let takenInAt = Atomic<UInt64>(0)
    /// The number of wormholes that use it. Guarded by the registry's lock.
    var useCount = 0

    init(
        location: GroupLocation, wakeups currentWakeups: CurrentWakeups, store: any RecordStore,
        hostMembers: HostMembers? = nil
    ) {
        self.location = location
        self.currentWakeups = currentWakeups
        let wakeups = currentWakeups.wakeups
        self.store = store
        self.hostMembers = hostMembers
        boot = hostMembers?.transport.knowsMembers == true ? 0 : Boot.identity().0
        limits = wakeups.limits
        nextFileCheck = Atomic(hostMembers == nil ? 0 : .max)
        combined = wakeups.flags & StoreFlags.system != 0 ? CombinedWriter() : nil
    }

    /// Takes a slot for a wormhole of this process.
    func claimMemberSlot(name: [UInt8], timeout: UInt64) throws(CrosstieError) -> MemberSlot {
        if let hostMembers { return MemberSlot(try enter(hostMembers, name: name, timeout: timeout), of: self) }
        try lockWriters(timeout: timeout)
        defer { unlockWriters() }
        wakeups.reapSlots(own: ownSlots)
        let memberSlot = MemberSlot(try claimSlot(name: String(decoding: name, as: UTF8.self)), of: self)
        memberSlots[memberSlot.slot] = memberSlot
        return memberSlot
    }

    /// The writers' lock is held.
    func claimSlot(name: String) throws(CrosstieError) -> Int {
        let slot = try wakeups.claimSlot(own: ownSlots, name: name)
        wakeups.noteReader(slot, store.readerNumber)
        ownSlots[slot] = true
        return slot
    }

    func release(_ memberSlot: MemberSlot, timeout: UInt64) {
        if let hostMembers { leave(hostMembers, slot: memberSlot.slot, timeout: timeout) }
        // A writer that was stopped for longer than this may notify a slot without an owner, which does no harm.
        let isLocked = (try? lockWriters(timeout: timeout)) != nil
        let slot = memberSlot.slot
        wakeups.releaseSlot(slot)
        ownSlots[slot] = false
        memberSlots[slot] = nil
        if isLocked { unlockWriters() }
    }

    /// Closes the store. If no other process has its directory open, the store is synced and marked as clean.
    func close(timeout: UInt64) {
        if case .directory(let directory) = location {
            // Resources that no other process has open would be removed with it.
            try? checkFiles(timeout: timeout)
            syncIfLast(directory, timeout: timeout)
            directory.value.release()
        }
        // Before the wakeups that it notifies are closed.
        hostMembers?.endWatching()
        combined?.free()
        store.close()
        currentWakeups.close()
    }

    private func syncIfLast(_ directory: OpenDirectory, timeout: UInt64) {
        do throws(CrosstieError) {
            try directory.value.withMembersLocked(timeout: timeout) { () throws(CrosstieError) in
                // Before the next one looks whether it is the last.
                defer { wakeups.endUse() }
                guard !wakeups.isUsedByOthers else { return }
                try store.sync()
                wakeups.isClean = true
                try WakeupsFile.sync(wakeups)
            }
        } catch {
            // A store that could not be synced is not marked so, and is checked when it is opened next.
        }
    }
}

extension Group {
    /// The newest sequence number.
    func sequence() throws(CrosstieError) -> UInt64 {
        try read { snapshot throws(CrosstieError) in try snapshot.meta().sequence(ofState: snapshot.number) }
    }
}

/// The number of a member, which claims in the store contain to identify their owner.
extension Group {
    /// The number of the member in a slot: the slot in the low 8 bits, and its time of joining above, so that the next
    /// member in the slot has another one.
    func memberID(_ slot: Int) -> UInt64 {
        UInt64(bitPattern: wakeups.since(slot)) & ~0xFF | UInt64(truncatingIfNeeded: slot & 0xFF)
    }

    /// Whether the member of a number lives. The writers' lock is held.
    func isAlive(owner: UInt64) -> Bool {
        let slot = Int(owner & 0xFF)
        guard wakeups.isLive(slot), memberID(slot) == owner else { return false }
        return ownSlots[slot] || wakeups.isAlive(slot)
    }
}

extension Group {
    /// Logs a line for each wormhole of this process that has the group open. Any lock may be held. A wormhole's logger
    /// is called by the next call on that wormhole, or by its listeners' thread within a second.
    func log(_ level: LogLevel, _ line: String) { logs.write(level, line) }
}
