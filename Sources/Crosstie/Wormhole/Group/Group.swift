internal import Glibc

/// A group's directory as this process has it open, whatever number of wormholes share it.
final class Group {
    let directory: OpenDirectory
    let bells: Bells
    let store: any RecordStore
    let limits: StoreLimits
    let pid: Int32
    /// Who wants every message of what. Guarded by the writers' lock.
    let interests = Interests()
    /// Of a store whose writers wait for the disk, which they shall do together.
    let combined: CombinedWriter?
    /// Which slots are this process's. Guarded by the registry's lock and the writer's.
    var ownSlots = [Bool](repeating: false, count: BellsLayout.slotCount)
    /// How many wormholes use it. Guarded by the registry's lock.
    var useCount = 0

    init(directory: OpenDirectory, bells: Bells, store: any RecordStore) {
        self.directory = directory
        self.bells = bells
        self.store = store
        limits = bells.limits
        combined = bells.flags & StoreFlags.system != 0 ? CombinedWriter() : nil
        pid = getpid()
    }

    /// Takes a slot for a wormhole of this process.
    func claimSlot(name: [UInt8], timeout: UInt64) throws(CrosstieError) -> Int {
        try lockWriters(timeout: timeout)
        defer { unlockWriters() }
        let own = ownSlots
        bells.reapSlots(own: own)
        let slot = try Group.claim(bells, own, name)
        ownSlots[slot] = true
        return slot
    }

    func releaseSlot(_ slot: Int, timeout: UInt64) {
        // A writer that was stopped for longer than this may ring a bell that nobody minds.
        let isLocked = (try? lockWriters(timeout: timeout)) != nil
        bells.releaseSlot(slot)
        ownSlots[slot] = false
        if isLocked { unlockWriters() }
    }

    private static func claim(_ bells: Bells, _ own: [Bool], _ name: [UInt8]) throws(CrosstieError) -> Int {
        let outcome: Result<Int, CrosstieError> = name.withUnsafeBytes { name in
            do throws(CrosstieError) {
                return .success(try bells.claimSlot(own: own, name: name))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Closes the files. If nobody else has the group open it is synced, and said to be so.
    func close(timeout: UInt64) {
        do throws(CrosstieError) {
            try directory.value.withOpenersLocked(timeout: timeout) { () throws(CrosstieError) in
                guard !bells.isUsedByOthers else { return }
                try store.sync()
                bells.isClean = true
                try BellsFile.sync(bells)
            }
        } catch {
            // What could not be synced is not marked so, and checked when it is opened next.
        }
        combined?.free()
        store.close()
        BellsFile.close(bells)
    }
}

/// A directory that lives as long as the group.
final class OpenDirectory {
    let value: GroupDirectory

    init(_ value: consuming GroupDirectory) { self.value = value }
}

extension Group {
    /// The newest sequence number.
    func sequence() throws(CrosstieError) -> UInt64 {
        let snapshot = try store.reading()
        return try snapshot.meta().sequence(ofState: snapshot.number)
    }
}
