internal import CPlatform
internal import Glibc

extension Group {
    /// Opens the files of a directory, and makes them if they are not there. Other openers are locked out.
    static func open(_ directory: OpenDirectory, mapSize: UInt64, flags: UInt32) throws(CrosstieError) -> Group {
        let files = [BellsFile.name, LMDBStore.dataName, LMDBStore.lockName]
        for file in files { _ = try directory.value.size(of: file) }
        guard let bells = try openBells(in: directory.value) else {
            // A store without bells cannot be told from a stale one.
            for file in files { try directory.value.setAside(file) }
            return try create(in: directory, mapSize: mapSize, flags: flags)
        }
        do throws(CrosstieError) {
            return try adopt(bells, in: directory)
        } catch {
            BellsFile.close(bells)
            throw error
        }
    }

    /// Opens the bells. When nobody else uses them they are set up anew; nil if the store is stale then.
    private static func openBells(in directory: borrowing GroupDirectory) throws(CrosstieError) -> Bells? {
        guard let bells = try BellsFile.open(in: directory) else { return nil }
        guard !bells.isUsedByOthers else { return bells }
        guard bells.isClean || bells.boot == Boot.identity() else {
            BellsFile.close(bells)
            return nil
        }
        do throws(CrosstieError) {
            try bells.reset()
            try markInUse(bells)
        } catch {
            BellsFile.close(bells)
            throw error
        }
        return bells
    }

    /// From here on the store counts as unsynced, also on the disk.
    private static func markInUse(_ bells: Bells) throws(CrosstieError) {
        let wasClean = bells.isClean
        bells.isClean = false
        bells.boot = Boot.identity()
        if wasClean { try BellsFile.sync(bells) }
    }

    private static func adopt(_ bells: Bells, in directory: OpenDirectory) throws(CrosstieError) -> Group {
        guard let mapSize = Int(exactly: bells.mapSize), WormholeOptions.mapSizes.contains(bells.mapSize) else {
            throw CrosstieError(.corrupt, "bells tells of a store of \(bells.mapSize) bytes")
        }
        try directory.value.require(LMDBStore.dataName, size: mapSize)
        if try directory.value.size(of: LMDBStore.lockName) == nil, !bells.isUsedByOthers {
            Glibc.close(try directory.value.create(LMDBStore.lockName, size: LMDBStore.lockSize))
        }
        try directory.value.require(LMDBStore.lockName, size: LMDBStore.lockSize)
        let store = try LMDBStore(path: directory.value.stablePath, mapSize: bells.mapSize, flags: bells.flags)
        do throws(CrosstieError) {
            // Refuses a store of a newer format.
            _ = try store.reading().meta()
        } catch {
            store.close()
            throw error
        }
        return Group(place: .directory(directory), bells: bells, store: store)
    }

    private static func create(
        in directory: OpenDirectory, mapSize: UInt64, flags: UInt32
    ) throws(CrosstieError) -> Group {
        let bells = try BellsFile.create(in: directory.value, mapSize: mapSize, flags: flags)
        do throws(CrosstieError) {
            try bells.reset()
            Glibc.close(try directory.value.create(LMDBStore.lockName, size: LMDBStore.lockSize))
            let store = try createStore(in: directory, mapSize: mapSize, flags: flags)
            do throws(CrosstieError) {
                try BellsFile.publish(in: directory.value)
            } catch {
                store.close()
                throw error
            }
            return Group(place: .directory(directory), bells: bells, store: store)
        } catch {
            BellsFile.close(bells)
            for file in [BellsFile.nameWhileMade, LMDBStore.dataName, LMDBStore.lockName] {
                unlinkat(directory.value.descriptor, file, 0)
            }
            throw error
        }
    }

    private static func createStore(
        in directory: OpenDirectory, mapSize: UInt64, flags: UInt32
    ) throws(CrosstieError) -> LMDBStore {
        let store = try LMDBStore(path: directory.value.stablePath, mapSize: mapSize, flags: flags)
        do throws(CrosstieError) {
            try store.allocate(mapSize)
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
