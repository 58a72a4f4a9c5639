internal import CPlatform
internal import Glibc

extension Group {
    /// Opens the files of a directory, and makes them if they are not there. Other openers are locked out.
    /// - Parameter isOthers: others have it open.
    static func open(
        _ directory: OpenDirectory, isOthers: Bool, _ options: WormholeOptions
    ) throws(CrosstieError) -> Group {
        for file in fileNames { _ = try directory.value.size(of: file) }
        guard let (bells, isFirst) = try openBells(in: directory.value, isOthers: isOthers, options) else {
            let hasBells = try directory.value.size(of: BellsFile.name) != nil
            if options.mustExist {
                throw .noGroup(
                    at: directory.value.path, hasBells ? ": its store is from before the machine started anew" : "")
            }
            // A store without bells cannot be told from a stale one.
            let reason = hasBells ? "was not closed before the machine started anew" : "has no file bells"
            try setAside(in: directory.value, since: reason, options.hostLog)
            return try create(in: directory, options)
        }
        do throws(CrosstieError) {
            return try adopt(bells, isFirst: isFirst, in: directory, options)
        } catch {
            BellsFile.close(bells)
            throw error
        }
    }

    /// Opens the bells. When nobody else uses them they are set up anew, which `isFirst` says; nil if the store is stale
    /// then.
    private static func openBells(
        in directory: borrowing GroupDirectory, isOthers: Bool, _ options: WormholeOptions
    ) throws(CrosstieError) -> (bells: Bells, isFirst: Bool)? {
        guard let bells = try BellsFile.open(in: directory) else { return nil }
        if bells.isUsedByOthers || isOthers && bells.awaitsSomebody { return (bells, false) }
        // With system durability each commit was on the disk, in order, before anybody heard of it: what the machine
        // has left at any instant is a whole store.
        let isSystem = bells.flags & StoreFlags.system != 0
        do throws(CrosstieError) {
            let isOfThisBoot = try isOfThisBoot(bells)
            guard isSystem || bells.isClean || isOfThisBoot else {
                BellsFile.close(bells)
                return nil
            }
            if isOfThisBoot { try LMDBStore.withdrawUnannounced(in: directory) }
            try checkPages(in: directory, size: bells.storeSize, options)
            try bells.reset()
        } catch {
            BellsFile.close(bells)
            throw error
        }
        return (bells, true)
    }

    /// Throws when the store's pages are damaged; then it is put out of the way, so that the next opening begins anew,
    /// unless the opener only looks. A file that has been cut is refused later, and left where it is.
    private static func checkPages(
        in directory: borrowing GroupDirectory, size: UInt64, _ options: WormholeOptions
    ) throws(CrosstieError) {
        guard let found = try directory.size(of: LMDBStore.dataName), found >= Int(clamping: size) else { return }
        do throws(CrosstieError) {
            try StoreCheck.run(in: directory)
        } catch {
            guard error.status == .corruptData, !options.mustExist else { throw error }
            let reason = "is damaged: \(error.message)"
            let aside = try setAside(in: directory, since: reason, options.hostLog) ?? LMDBStore.dataName
            throw CrosstieError(
                .corruptData, "\(error.message): the store is kept as \(aside), and the next opening begins a new one",
                at: directory.path)
        }
    }

    private static func isOfThisBoot(_ bells: Bells) throws(CrosstieError) -> Bool {
        let boot = Boot.identity()
        guard boot != (0, 0) || bells.boot == (0, 0) else { throw .system("read the identity of the boot", errno) }
        return bells.boot == boot
    }

    static var fileNames: [String] { [BellsFile.name, LMDBStore.dataName, LMDBStore.lockName] }

    /// Puts a store that cannot be trusted out of the way. Gives the name under which it is kept, if there was any.
    @discardableResult
    static func setAside(
        in directory: borrowing GroupDirectory, since reason: String, _ log: WormholeLog?
    ) throws(CrosstieError) -> String? {
        var kept: String?
        for file in fileNames {
            let aside = try directory.setAside(file)
            if file == LMDBStore.dataName { kept = aside }
        }
        if let kept {
            let line = "the store in \(directory.path) \(reason): a new one is begun, and it is kept as \(kept)"
            log?.write(.warning, line)
        }
        return kept
    }

    /// From here on the store counts as unsynced, also on the disk.
    static func markInUse(_ bells: Bells) throws(CrosstieError) {
        let wasClean = bells.isClean
        bells.isClean = false
        bells.boot = Boot.identity()
        if wasClean { try BellsFile.sync(bells) }
    }

    private static func adopt(
        _ bells: Bells, isFirst: Bool, in directory: OpenDirectory, _ options: WormholeOptions
    ) throws(CrosstieError) -> Group {
        try bells.require(options)
        if try directory.value.size(of: LMDBStore.lockName) == nil, !bells.isUsedByOthers {
            Glibc.close(try directory.value.create(LMDBStore.lockName, size: LMDBStore.lockSize))
        }
        try directory.value.require(LMDBStore.lockName, size: LMDBStore.lockSize)
        let store = try bells.withGrowthLocked { () throws(CrosstieError) in
            try check(bells)
            try directory.value.require(LMDBStore.dataName, size: Int(clamping: bells.storeSize))
            let place = BellsPlace(bells)
            note(place, in: directory.value)
            return try LMDBStore(path: directory.value.stablePath, bells: place)
        }
        do throws(CrosstieError) {
            // LMDB makes the files that are missing, should they have been removed meanwhile.
            try directory.value.require(store.bellsPlace.files)
            // Refuses a store of a newer format.
            _ = try store.reading().meta()
            // Not before, so that a store that cannot be opened stays as it was closed.
            if isFirst { try markInUse(bells) }
        } catch {
            store.close()
            throw error
        }
        return Group(place: .directory(directory), bells: store.bellsPlace, store: store)
    }

    /// Notes which files the bells belong to. They are all there.
    private static func note(_ place: BellsPlace, in directory: borrowing GroupDirectory) {
        place.note(directory.files)
        place.bells.dataFile = FileIdentity(in: directory.descriptor, LMDBStore.dataName)?.number ?? 0
    }

    /// The options of the creating process may have been overwritten since.
    static func check(_ bells: Bells) throws(CrosstieError) {
        let (size, limits) = (bells.storeSize, bells.limits)
        guard WormholeOptions.mapSizes.contains(size), size % WormholeOptions.mapUnit == 0 else {
            throw CrosstieError(.corruptData, "bells tells of a store of \(size) bytes")
        }
        guard WormholeOptions.mapSizes.contains(limits.mapSize), size <= limits.mapSize else {
            throw CrosstieError(.corruptData, "bells tells of a store of \(size) bytes, \(limits.mapSize) at most")
        }
        guard limits.queuedCount > 0, limits.queuedSize > 0, limits.sending.isKnown,
            StoreFlags.areKnown(bells.flags)
        else {
            throw CrosstieError(.corruptData, "bells tells of a store of no known kind")
        }
    }

    private static func create(
        in directory: OpenDirectory, _ options: WormholeOptions
    ) throws(CrosstieError) -> Group {
        let bells = try BellsFile.create(in: directory.value, options)
        do throws(CrosstieError) {
            try bells.makeLocks()
            Glibc.close(try directory.value.create(LMDBStore.lockName, size: LMDBStore.lockSize))
            let store = try createStore(in: directory, bells)
            do throws(CrosstieError) {
                try publish(bells, store, in: directory)
            } catch {
                store.close()
                throw error
            }
            note(store.bellsPlace, in: directory.value)
            return Group(place: .directory(directory), bells: store.bellsPlace, store: store)
        } catch {
            BellsFile.close(bells)
            for file in [BellsFile.nameWhileMade, BellsFile.name, LMDBStore.dataName, LMDBStore.lockName] {
                unlinkat(directory.value.descriptor, file, 0)
            }
            throw error
        }
    }

    /// Lets the store be found. With system durability everything is on the disk then: the bells before they have
    /// their name, and the names before anybody is told that something was passed.
    private static func publish(_ bells: Bells, _ store: LMDBStore, in directory: OpenDirectory) throws(CrosstieError) {
        if store.isSystem { try BellsFile.syncWhole(bells) }
        try BellsFile.publish(in: directory.value)
        if store.isSystem { try directory.value.sync() }
    }

    private static func createStore(
        in directory: OpenDirectory, _ bells: Bells
    ) throws(CrosstieError) -> LMDBStore {
        // LMDB writes as it opens.
        try DiskSpace.require(bells.storeSize, for: "data.mdb")
        let store = try LMDBStore(path: directory.value.stablePath, bells: BellsPlace(bells))
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
    /// Throws when the group is not what an opener wants it to be.
    func require(_ options: WormholeOptions) throws(CrosstieError) { try bells.require(options) }
}

extension Bells {
    fileprivate func require(_ options: WormholeOptions) throws(CrosstieError) {
        guard !options.mustBeNew else { throw CrosstieError(.conflict, "the group is there already") }
        guard options.durability == .process || flags & StoreFlags.system != 0 else {
            throw CrosstieError(.conflict, "the group's messages survive the death of processes, not of the machine")
        }
    }
}
