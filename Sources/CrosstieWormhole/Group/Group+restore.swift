internal import Glibc

/// Recreating the files of an open group, from those that were removed.
extension Group {
    /// Nanoseconds of waiting for other processes that have made new files, which were removed again.
    private static var patience: UInt64 { 3_000_000_000 }

    /// The files found in the location of the old wakeups.
    enum Successor {
        /// No files, or only a part of the old ones.
        case none
        /// The same group continues there.
        case next(Wakeups)
        /// Another group was made there, or an older state of this one put there.
        case other(Wakeups)
    }

    /// Looks for the files in the location of the old wakeups. The lock on opening and the writers' lock of the old
    /// wakeups are held.
    func successor(of old: Wakeups, in directory: borrowing GroupDirectory) throws(CrosstieError) -> Successor {
        guard let found = try WakeupsFile.open(in: directory) else {
            let moved = old.moved.pointee.load(ordering: .relaxed)
            guard moved == Wakeups.MoveState.elsewhere || moved == Wakeups.MoveState.takenIn else { return .none }
            return try awaitRestoring(in: directory)
        }
        do throws(CrosstieError) {
            guard found.succeeds(old) else {
                missingSince.store(0, ordering: .relaxed)
                if FileIdentity(found.file) != FileIdentity(old.file) { return .other(found) }
                WakeupsFile.close(found)
                return .none
            }
            if try WakeupsFile.areComplete(in: directory) {
                missingSince.store(0, ordering: .relaxed)
                return .next(found)
            }
        } catch {
            WakeupsFile.close(found)
            throw error
        }
        let isUsed = found.isUsedByOthers
        WakeupsFile.close(found)
        // No process opens incomplete files, so they get no other members than those that they have.
        return isUsed ? try awaitRestoring(in: directory) : .none
    }

    /// The members of the new files know the messages there, and must restore them. If none of them lives, only the old
    /// files are left.
    private func awaitRestoring(in directory: borrowing GroupDirectory) throws(CrosstieError) -> Successor {
        if isPatienceOver() { return .none }
        throw CrosstieError(.timedOut, "files of the group were removed, and are being restored", at: directory.path)
    }

    private func isPatienceOver() -> Bool {
        let since = missingSince.load(ordering: .relaxed)
        if since == 0 { missingSince.store(Clock.now(), ordering: .relaxed) }
        return since != 0 && Clock.now() &- since > Group.patience
    }

    /// Continues with wakeups that another process has made.
    func adopt(_ fresh: Wakeups, from old: Wakeups, in directory: OpenDirectory) throws(CrosstieError) {
        let files = directory.value.files
        do throws(CrosstieError) {
            try Group.markInUse(fresh)
            try move(to: fresh, in: directory) { () throws(CrosstieError) in
                try directory.value.require(files)
                currentWakeups.replace(fresh, files: files)
            }
        } catch {
            WakeupsFile.close(fresh)
            throw error
        }
        // The process that made them may have died before it stored this state.
        if !old.isTakenIn { old.moved.pointee.store(Wakeups.MoveState.elsewhere, ordering: .releasing) }
    }

    /// Makes the files, and continues with them. They are valid once the wakeups are renamed into place.
    func restore(from old: Wakeups, in directory: OpenDirectory) throws(CrosstieError) {
        let isSystem = old.flags & StoreFlags.system != 0
        let fresh = try makeFiles(from: old, in: directory.value)
        let before = old.moved.pointee.load(ordering: .relaxed)
        let files = directory.value.files
        do throws(CrosstieError) {
            if isSystem { try WakeupsFile.syncWhole(fresh) }
            try move(to: fresh, in: directory) { () throws(CrosstieError) in
                guard directory.value.files == files else { throw CrosstieError(.busy, "more files are being removed") }
                old.moved.pointee.store(Wakeups.MoveState.moving, ordering: .releasing)
                try WakeupsFile.publish(in: directory.value)
                currentWakeups.replace(fresh, files: directory.value.files)
            }
        } catch {
            old.moved.pointee.store(before, ordering: .releasing)
            WakeupsFile.close(fresh)
            for file in [WakeupsFile.nameWhileMade, GroupDirectory.dataName, GroupDirectory.lockName] {
                unlinkat(directory.value.descriptor, file, 0)
            }
            throw error
        }
        old.moved.pointee.store(Wakeups.MoveState.elsewhere, ordering: .releasing)
        if isSystem { try? directory.value.sync() }
        // Wakes the sleepers of the old wakeups in all processes.
        old.notifyForDeadWriter()
        warn("files of the group in \(directory.value.path) were removed while it was open: they have been recreated")
    }

    private func makeFiles(
        from old: Wakeups, in directory: borrowing GroupDirectory
    ) throws(CrosstieError) -> Wakeups {
        guard let store = store as? LMDBStore else { throw CrosstieError(.systemFailure, "a group without files") }
        try store.copy(into: directory, as: LMDBStore.nameWhileMade)
        // No process may find wakeups with a store that is not theirs.
        unlinkat(directory.descriptor, GroupDirectory.wakeupsName, 0)
        guard
            renameat(directory.descriptor, LMDBStore.nameWhileMade, directory.descriptor, GroupDirectory.dataName) == 0
        else {
            throw .system("rename data.mdb", errno)
        }
        try directory.createLocks()
        let fresh = try WakeupsFile.create(in: directory, after: old)
        fresh.dataFile = FileIdentity(in: directory.descriptor, GroupDirectory.dataName)?.number ?? 0
        return fresh
    }

    private func move(
        to fresh: Wakeups, in directory: OpenDirectory, adopt: () throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        guard let store = store as? LMDBStore else { throw CrosstieError(.systemFailure, "a group without files") }
        try store.move(to: directory.value.stablePath, fresh, adopt: adopt)
    }
}
