internal import Glibc

/// A group as this process has it open, whatever number of wormholes share it.
final class Group {
    let place: GroupPlace
    let bells: Bells
    let store: any RecordStore
    /// Who else has it open, when a host's transport keeps it.
    let openings: HostOpenings?
    let limits: StoreLimits
    let pid: Int32
    /// Which start of the machine this is; 0 where members may be on several machines.
    let boot: UInt64
    /// Who wants every message of what. Guarded by the writers' lock.
    let interests = Interests()
    /// Of a store whose writers wait for the disk, which they shall do together.
    let combined: CombinedWriter?
    /// How many messages its durable listeners have heard since this process trimmed the log for that. Guarded by the
    /// writers' lock.
    var heardCount = 0
    /// What this process's last step left at the log's end, with the number of its transaction: known as long as nobody
    /// has written since. Guarded by the writers' lock.
    var knownTail: (transaction: UInt64, tail: LogTail)?
    /// Which slots are this process's. Guarded by the registry's lock and the writer's.
    var ownSlots = [Bool](repeating: false, count: BellsLayout.slotCount)
    /// How many wormholes use it. Guarded by the registry's lock.
    var useCount = 0

    init(place: GroupPlace, bells: Bells, store: any RecordStore, openings: HostOpenings? = nil) {
        self.place = place
        self.bells = bells
        self.store = store
        self.openings = openings
        boot = openings?.transport.knowsMembers == true ? 0 : Boot.identity().0
        limits = bells.limits
        combined = bells.flags & StoreFlags.system != 0 ? CombinedWriter() : nil
        pid = getpid()
    }

    /// Takes a slot for a wormhole of this process.
    func claimSlot(name: [UInt8], timeout: UInt64) throws(CrosstieError) -> Int {
        if let openings { return try enter(openings, name: name, timeout: timeout) }
        try lockWriters(timeout: timeout)
        defer { unlockWriters() }
        let own = ownSlots
        bells.reapSlots(own: own)
        let slot = try bells.claimSlot(own: own, name: String(decoding: name, as: UTF8.self))
        ownSlots[slot] = true
        return slot
    }

    func releaseSlot(_ slot: Int, timeout: UInt64) {
        if let openings { leave(openings, slot: slot, timeout: timeout) }
        // A writer that was stopped for longer than this may ring a bell that nobody minds.
        let isLocked = (try? lockWriters(timeout: timeout)) != nil
        bells.releaseSlot(slot)
        ownSlots[slot] = false
        if isLocked { unlockWriters() }
    }

    /// Closes the store. If nobody else has its directory open it is synced, and said to be so.
    func close(timeout: UInt64) {
        if case .directory(let directory) = place { syncIfLast(directory, timeout: timeout) }
        // Before what it rings is gone.
        openings?.endWatching()
        combined?.free()
        store.close()
        BellsFile.close(bells)
    }

    private func syncIfLast(_ directory: OpenDirectory, timeout: UInt64) {
        do throws(CrosstieError) {
            try directory.value.withOpenersLocked(timeout: timeout) { () throws(CrosstieError) in
                // Before the next one looks whether it is the last.
                defer { bells.endUse() }
                guard !bells.isUsedByOthers else { return }
                try store.sync()
                bells.isClean = true
                try BellsFile.sync(bells)
            }
        } catch {
            // What could not be synced is not marked so, and checked when it is opened next.
        }
    }
}

extension Group {
    /// The newest sequence number.
    func sequence() throws(CrosstieError) -> UInt64 {
        try read { snapshot throws(CrosstieError) in try snapshot.meta().sequence(ofState: snapshot.number) }
    }
}
