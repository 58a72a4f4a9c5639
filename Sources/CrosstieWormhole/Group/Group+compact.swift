internal import CPlatform
internal import Glibc
import Synchronization

/// Compacting a store while others use it. Its records are copied into a new file, which then replaces the old one as
/// if that had been removed: all members move there. Others wait during the last part only.
///
/// If the process dies in between, the files remain consistent: until the new wakeups are renamed into place, the old
/// ones describe a store with the same records, and the file has the length that they state.
extension Group {
    /// Gives the store's size before and after; the same when nothing is to be had.
    /// - Parameter keepsSize: whether the store stays as large as it is, with all that is free in one piece.
    func compact(
        timeout: UInt64, keepsSize: Bool = false
    ) throws(CrosstieError) -> (before: UInt64, after: UInt64) {
        let end = Clock.now() &+ timeout
        guard case .directory(let directory) = location, let store = store as? LMDBStore else {
            throw CrosstieError(.invalidArgument, "only a group in a directory can be compacted")
        }
        try checkFiles(timeout: timeout)
        try DiskSpace.require(store.mapSize, for: "data.mdb")
        let builder = try directory.value.withMembersLocked(timeout: timeout) { () throws(CrosstieError) in
            try StoreBuilder(in: directory.value, largestSize: wakeups.limits.mapSize)
        }
        do throws(CrosstieError) {
            try read { snapshot throws(CrosstieError) in
                try [0].withBytes { first throws(CrosstieError) in
                    try snapshot.records.scan(from: first) { key, record throws(CrosstieError) in
                        try builder.put(key, record, isLast: true)
                        return .next
                    }
                }
            }
            if store.isSystem { try builder.sync() }
            return try replace(store, with: builder, in: directory, keepsSize: keepsSize, until: end)
        } catch {
            try? directory.value.withMembersLocked(timeout: timeout) { builder.withdraw(in: directory.value) }
            throw error
        }
    }

    private func replace(
        _ store: LMDBStore, with builder: StoreBuilder, in directory: OpenDirectory, keepsSize: Bool, until end: UInt64
    ) throws(CrosstieError) -> (before: UInt64, after: UInt64) {
        let old = wakeups
        try lockEverything(of: old, until: end)
        defer { unlockEverything(of: old) }
        // Also if it failed half way, and the old files were recreated.
        defer { if wakeups.base != old.base { goOn(from: old, until: end) } }
        return try directory.value.withMembersLocked(timeout: remaining(until: end)) {
            () throws(CrosstieError) -> (before: UInt64, after: UInt64) in
            guard old.base == wakeups.base, !old.isMoved, isWhole(directory.value), builder.isThere(in: directory.value)
            else {
                throw CrosstieError(.busy, "files of the group are being replaced", at: directory.value.path)
            }
            try store.adoptSize()
            let before = store.mapSize
            let number = try copyRest(of: store, to: builder)
            let used = try builder.finish(number: number, isSynced: store.isSystem)
            let after = keepsSize ? before : StoreBuilder.goodSize(for: used, atMost: before)
            guard after < before || keepsSize, builder.usedSize < after else {
                builder.withdraw(in: directory.value)
                return (before, before)
            }
            try replaceFiles(of: old, builder, size: after, in: directory)
            return (before, after)
        }
    }

    /// Gives the number of the newest state.
    private func copyRest(of store: LMDBStore, to builder: StoreBuilder) throws(CrosstieError) -> UInt64 {
        let snapshot = try store.reading()
        try builder.follow(snapshot)
        return snapshot.number
    }

    private func replaceFiles(
        of old: Wakeups, _ builder: StoreBuilder, size: UInt64, in directory: OpenDirectory
    ) throws(CrosstieError) {
        guard let store = store as? LMDBStore else { return }
        // Until the new wakeups are in place, the file keeps the length that the old ones state; a writable map must
        // not have holes.
        try builder.setSize(old.storeSize, allocated: store.isFast ? old.storeSize : size)
        let fresh = try WakeupsFile.create(in: directory.value, after: old)
        var isReplaced = false
        do throws(CrosstieError) {
            fresh.mapSize.pointee.store(size, ordering: .relaxed)
            fresh.dataFile = builder.identity
            if store.isSystem { try WakeupsFile.syncWhole(fresh) }
            guard
                renameat(
                    directory.value.descriptor, StoreBuilder.name, directory.value.descriptor, GroupDirectory.dataName)
                    == 0
            else { throw .system("rename data.mdb", errno) }
            isReplaced = true
            try directory.value.createLocks()
            try store.move(to: directory.value.stablePath, fresh) { () throws(CrosstieError) in
                old.moved.pointee.store(Wakeups.MoveState.moving, ordering: .releasing)
                try WakeupsFile.publish(in: directory.value)
                // The growth lock is held: no process has made it larger.
                try? builder.setSize(size, allocated: size)
                currentWakeups.replace(fresh, files: directory.value.files)
            }
        } catch {
            if wakeups.base != fresh.base {
                WakeupsFile.close(fresh)
                unlinkat(directory.value.descriptor, WakeupsFile.nameWhileMade, 0)
            }
            // The old files have no names any more, but are open.
            if isReplaced { try restore(from: old, in: directory) }
            throw error
        }
        old.moved.pointee.store(Wakeups.MoveState.elsewhere, ordering: .releasing)
        if store.isSystem { try? directory.value.sync() }
        old.notifyForDeadWriter()
    }
}
