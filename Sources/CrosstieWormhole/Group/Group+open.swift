internal import CPlatform
internal import Glibc

extension Group {
    /// Opens the files of a directory, and creates missing ones. The lock on opening is held.
    /// - Parameter isOthers: others have it open.
    static func open(
        _ directory: OpenDirectory, isOthers: Bool, _ options: WormholeOptions
    ) throws(CrosstieError) -> Group {
        for file in GroupDirectory.fileNames { _ = try directory.value.size(of: file) }
        guard let (wakeups, isFirst) = try openWakeups(in: directory.value, isOthers: isOthers, options) else {
            let hasWakeups = try directory.value.size(of: GroupDirectory.wakeupsName) != nil
            if options.mustExist {
                throw .noGroup(
                    at: directory.value.path, hasWakeups ? ": its store is from before the machine was restarted" : "")
            }
            // A store without wakeups cannot be distinguished from a stale one.
            let reason =
                hasWakeups
                ? "was not closed before the machine was restarted" : "has no file \(GroupDirectory.wakeupsName)"
            try setAside(in: directory.value, since: reason, options.hostLog)
            return try create(in: directory, options)
        }
        do throws(CrosstieError) {
            return try adopt(wakeups, isFirst: isFirst, in: directory, options)
        } catch {
            WakeupsFile.close(wakeups)
            throw error
        }
    }

    /// Opens the wakeups. If no other process uses them they are initialized, and `isFirst` is true; nil if the store
    /// is stale then.
    private static func openWakeups(
        in directory: borrowing GroupDirectory, isOthers: Bool, _ options: WormholeOptions
    ) throws(CrosstieError) -> (wakeups: Wakeups, isFirst: Bool)? {
        guard let wakeups = try WakeupsFile.open(in: directory) else { return nil }
        if wakeups.isUsedByOthers || isOthers && wakeups.awaitsSomebody { return (wakeups, false) }
        // With system durability each commit was on the disk, in order, before any listener got it: after a crash of
        // the machine the store is consistent at every moment.
        let isSystem = wakeups.flags & StoreFlags.system != 0
        do throws(CrosstieError) {
            let isOfThisBoot = try isOfThisBoot(wakeups)
            guard isSystem || wakeups.isClean || isOfThisBoot else {
                WakeupsFile.close(wakeups)
                return nil
            }
            if isOfThisBoot { try LMDBStore.withdrawUnannounced(in: directory) }
            try checkPages(in: directory, size: wakeups.storeSize, options)
            try wakeups.reset()
        } catch {
            WakeupsFile.close(wakeups)
            throw error
        }
        return (wakeups, true)
    }

    /// Throws if the store's pages are damaged. The store is then set aside, and the next process that opens the group
    /// begins a new one, unless this one only looks. A truncated file is refused later, and left in its location.
    private static func checkPages(
        in directory: borrowing GroupDirectory, size: UInt64, _ options: WormholeOptions
    ) throws(CrosstieError) {
        guard let found = try directory.size(of: GroupDirectory.dataName), found >= Int(clamping: size) else { return }
        do throws(CrosstieError) {
            try StoreCheck.run(in: directory)
        } catch {
            guard error.status == .corruptData, !options.mustExist else { throw error }
            let reason = "is damaged: \(error.message)"
            let aside = try setAside(in: directory, since: reason, options.hostLog) ?? GroupDirectory.dataName
            throw CrosstieError(
                .corruptData, "\(error.message): the store is kept as \(aside), and the next opening begins a new one",
                at: directory.path)
        }
    }

    private static func isOfThisBoot(_ wakeups: Wakeups) throws(CrosstieError) -> Bool {
        let boot = Boot.identity()
        guard boot != (0, 0) || wakeups.boot == (0, 0) else { throw .system("read the identity of the boot", errno) }
        return wakeups.boot == boot
    }

    /// Puts a store that cannot be trusted out of the way. Gives the name under which it is kept, if there was any.
    @discardableResult
    static func setAside(
        in directory: borrowing GroupDirectory, since reason: String, _ log: WormholeLog?
    ) throws(CrosstieError) -> String? {
        var kept: String?
        for file in GroupDirectory.fileNames {
            let aside = try directory.setAside(file)
            if file == GroupDirectory.dataName { kept = aside }
        }
        if let kept {
            let line = "the store in \(directory.path) \(reason): a new one is begun, and it is kept as \(kept)"
            log?.write(.warning, line)
        }
        return kept
    }

    /// From here on the store counts as unsynced, also on the disk.
    static func markInUse(_ wakeups: Wakeups) throws(CrosstieError) {
        let wasClean = wakeups.isClean
        wakeups.isClean = false
        wakeups.boot = Boot.identity()
        if wasClean { try WakeupsFile.sync(wakeups) }
    }

    private static func adopt(
        _ wakeups: Wakeups, isFirst: Bool, in directory: OpenDirectory, _ options: WormholeOptions
    ) throws(CrosstieError) -> Group {
        try wakeups.require(options)
        if try directory.value.size(of: GroupDirectory.lockName) == nil, !wakeups.isUsedByOthers {
            try directory.value.createLocks()
        }
        try directory.value.require(GroupDirectory.lockName, size: LMDBStore.lockSize)
        let store = try wakeups.withGrowthLocked { () throws(CrosstieError) in
            try wakeups.checkOptions()
            try directory.value.require(GroupDirectory.dataName, size: Int(clamping: wakeups.storeSize))
            let current = CurrentWakeups(wakeups)
            note(current, in: directory.value)
            return try LMDBStore(path: directory.value.stablePath, wakeups: current)
        }
        do throws(CrosstieError) {
            // LMDB makes the files that are missing, should they have been removed meanwhile.
            try directory.value.require(store.currentWakeups.files)
            // Refuses a store of a newer format.
            _ = try store.reading().meta()
            // Not before, so that a store that cannot be opened stays as it was closed.
            if isFirst { try markInUse(wakeups) }
        } catch {
            store.close()
            throw error
        }
        return Group(location: .directory(directory), wakeups: store.currentWakeups, store: store)
    }

    /// Notes the files that the wakeups belong to. All of them exist.
    private static func note(_ current: CurrentWakeups, in directory: borrowing GroupDirectory) {
        current.note(directory.files)
        current.wakeups.dataFile = FileIdentity(in: directory.descriptor, GroupDirectory.dataName)?.number ?? 0
    }

    private static func create(
        in directory: OpenDirectory, _ options: WormholeOptions
    ) throws(CrosstieError) -> Group {
        let wakeups = try WakeupsFile.create(in: directory.value, options)
        do throws(CrosstieError) {
            try wakeups.makeLocks()
            try directory.value.createLocks()
            let store = try createStore(in: directory, wakeups)
            do throws(CrosstieError) {
                try publish(wakeups, store, in: directory)
            } catch {
                store.close()
                throw error
            }
            note(store.currentWakeups, in: directory.value)
            return Group(location: .directory(directory), wakeups: store.currentWakeups, store: store)
        } catch {
            WakeupsFile.close(wakeups)
            for file in [
                WakeupsFile.nameWhileMade, GroupDirectory.wakeupsName, GroupDirectory.dataName, GroupDirectory.lockName,
            ] {
                unlinkat(directory.value.descriptor, file, 0)
            }
            throw error
        }
    }

    /// Makes the store visible. With system durability everything is on the disk then: the wakeups before they are
    /// renamed into place, and the names before any send returns.
    private static func publish(_ wakeups: Wakeups, _ store: LMDBStore, in directory: OpenDirectory)
        throws(CrosstieError)
    {
        if store.isSystem { try WakeupsFile.syncWhole(wakeups) }
        try WakeupsFile.publish(in: directory.value)
        if store.isSystem { try directory.value.sync() }
    }

    private static func createStore(
        in directory: OpenDirectory, _ wakeups: Wakeups
    ) throws(CrosstieError) -> LMDBStore {
        // LMDB writes as it opens.
        try DiskSpace.require(wakeups.storeSize, for: "data.mdb")
        let store = try LMDBStore(path: directory.value.stablePath, wakeups: CurrentWakeups(wakeups))
        do throws(CrosstieError) {
            try store.allocate()
            var transaction = try store.writing()
            try transaction.put(StoreMeta())
            try transaction.commit()
        } catch {
            store.close()
            throw error
        }
        return store
    }
}

extension Group {
    /// Throws if the group does not fit the options.
    func require(_ options: WormholeOptions) throws(CrosstieError) { try wakeups.require(options) }
}

extension Wakeups {
    fileprivate func require(_ options: WormholeOptions) throws(CrosstieError) {
        guard !options.mustBeNew else { throw CrosstieError(.conflict, "the group is there already") }
        guard options.durability == .process || flags & StoreFlags.system != 0 else {
            throw CrosstieError(.conflict, "the group's messages survive the death of processes, not of the machine")
        }
    }
}
