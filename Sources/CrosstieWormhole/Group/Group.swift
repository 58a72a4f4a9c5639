internal import Glibc
import Synchronization

/// A group as this process has it open, whatever number of wormholes share it.
final class Group {
    let place: GroupPlace
    let bellsPlace: BellsPlace
    @inline(__always)
    var bells: Bells { bellsPlace.bells }
    let store: any RecordStore
    /// The other members, if a host's transport keeps the group.
    let openings: HostOpenings?
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
    let passedOver = PassedOver()
    /// Guarded by the writers' lock.
    let knownNames = KnownNames()
    /// Guarded by the writers' lock.
    let backlogBounds = BacklogBounds()
    /// Of a store whose writers wait for the disk, which they shall do together.
    let combined: CombinedWriter?
    /// Whether a step is being made once more that found no room. Guarded by the writers' lock.
    var isShortOfRoom = false
    /// The number of messages that its durable listeners have consumed since this process trimmed the log for that.
    /// Guarded by the writers' lock.
    var heardCount = 0
    /// The log's end after this process's last step, with the number of its transaction: known as long as no other
    /// process has written since. Guarded by the writers' lock.
    var knownTail: (transaction: UInt64, tail: LogTail)?
    /// Whether somebody has written and not announced it, and nothing has been announced since. Guarded by the writers'
    /// lock.
    var hasFoundGap = false
    /// Up to this number nobody waits for writers to announce what they have committed.
    let abandoned = Atomic<UInt64>(0)
    /// Which slots are this process's. Guarded by the registry's lock and the writer's.
    var ownSlots = [Bool](repeating: false, count: BellsLayout.slotCount)
    /// By slot; they change their slots when others have those. Guarded as ``ownSlots``.
    var seats: [Int: Seat] = [:]
    /// When to look next whether the group's files are there, by the coarse clock; and since when others are waited for
    /// that should have made them anew.
    let nextFileCheck: Atomic<UInt64>
    let missingSince = Atomic<UInt64>(0)
    /// The number of times that the group has gone on in other files.
    let moveCount = Atomic<UInt64>(0)
    let hasToldOfFailure = Atomic(false)
    let readCount = Atomic<UInt32>(0)
    /// How many times another group has taken this one in, and its newest number before: listeners begin anew then.
    let takenInCount = Atomic<UInt64>(0)
    let takenInAt = Atomic<UInt64>(0)
    /// How many wormholes use it. Guarded by the registry's lock.
    var useCount = 0

    init(place: GroupPlace, bells bellsPlace: BellsPlace, store: any RecordStore, openings: HostOpenings? = nil) {
        self.place = place
        self.bellsPlace = bellsPlace
        let bells = bellsPlace.bells
        self.store = store
        self.openings = openings
        boot = openings?.transport.knowsMembers == true ? 0 : Boot.identity().0
        limits = bells.limits
        nextFileCheck = Atomic(openings == nil ? 0 : .max)
        combined = bells.flags & StoreFlags.system != 0 ? CombinedWriter() : nil
    }

    /// Takes a slot for a wormhole of this process.
    func claimSeat(name: [UInt8], timeout: UInt64) throws(CrosstieError) -> Seat {
        if let openings { return Seat(try enter(openings, name: name, timeout: timeout), of: self) }
        try lockWriters(timeout: timeout)
        defer { unlockWriters() }
        bells.reapSlots(own: ownSlots)
        let seat = Seat(try claimSlot(name: String(decoding: name, as: UTF8.self)), of: self)
        seats[seat.slot] = seat
        return seat
    }

    /// The writers' lock is held.
    func claimSlot(name: String) throws(CrosstieError) -> Int {
        let slot = try bells.claimSlot(own: ownSlots, name: name)
        bells.noteReader(slot, store.readerNumber)
        ownSlots[slot] = true
        return slot
    }

    func release(_ seat: Seat, timeout: UInt64) {
        if let openings { leave(openings, slot: seat.slot, timeout: timeout) }
        // A writer that was stopped for longer than this may ring a bell that nobody minds.
        let isLocked = (try? lockWriters(timeout: timeout)) != nil
        let slot = seat.slot
        bells.releaseSlot(slot)
        ownSlots[slot] = false
        seats[slot] = nil
        if isLocked { unlockWriters() }
    }

    /// Closes the store. If nobody else has its directory open it is synced, and said to be so.
    func close(timeout: UInt64) {
        if case .directory(let directory) = place {
            // Resources that no other process has open would be removed with it.
            try? checkFiles(timeout: timeout)
            syncIfLast(directory, timeout: timeout)
            directory.value.letGo()
        }
        // Before what it rings is gone.
        openings?.endWatching()
        combined?.free()
        store.close()
        bellsPlace.close()
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
