internal import CPlatform
internal import Glibc

/// Detecting that files of an open group were removed: by `rm`, or by a program that ignores locks. The members still
/// share the removed files, and no other process recreates them meanwhile; so nothing is lost as long as one member
/// lives.
extension Group {
    private static var checkInterval: UInt64 { 1_000_000_000 }

    /// Whether one of some readings comes. Also counts it.
    @inline(__always)
    var isReadersTurn: Bool {
        let count = readCount.load(ordering: .relaxed)
        readCount.store(count &+ 1, ordering: .relaxed)
        return count & 15 == 0
    }

    /// Checks once a second whether the files exist, and whether the group has moved to other ones.
    func checkFilesIfDue(timeout: UInt64) throws(CrosstieError) {
        if Clock.coarse() >= nextFileCheck.load(ordering: .relaxed) { try checkFiles(timeout: timeout) }
    }

    @inline(never)
    func checkFiles(timeout: UInt64) throws(CrosstieError) {
        nextFileCheck.store(Clock.coarse() &+ Group.checkInterval, ordering: .relaxed)
        guard case .directory(let directory) = location else {
            try? expireNames(timeout: 0)
            return
        }
        if wakeups.isMoved { return try followMove(timeout: timeout) }
        guard !isWhole(directory.value) else {
            if wakeups.isTurnToTouch { directory.value.touch() }
            // The process that holds the lock may be stopped: then it is done another time.
            try? expireNames(timeout: 0)
            return
        }
        do throws(CrosstieError) {
            try followMove(timeout: timeout)
            hasReportedFailure.store(false, ordering: .relaxed)
        } catch {
            // Otherwise all members continue in the removed files until it succeeds.
            if wakeups.isMoved { throw error }
            if !hasReportedFailure.exchange(true, ordering: .relaxed) {
                warn(
                    "files of the group in \(directory.value.path) were removed, and are not restored: \(error.message)"
                )
            }
        }
    }

    /// Whether the names in the directory lead to the files that this process has open.
    func isWhole(_ directory: borrowing GroupDirectory) -> Bool {
        let files = directory.files
        return !directory.isRemoved && !files.contains(nil) && files == currentWakeups.files
    }

    /// Whether another group has taken this one in since the last call.
    func isTakenIn(since seen: inout UInt64) -> Bool {
        let count = takenInCount.load(ordering: .acquiring)
        defer { seen = count }
        return count != seen
    }

    /// Any lock may be held.
    func warn(_ line: String) { log(.warning, line) }

    /// Continues in the current files of the group, which are created if they do not exist.
    @inline(never)
    func followMove(timeout: UInt64) throws(CrosstieError) {
        guard case .directory(let directory) = location else { return }
        let end = Clock.now() &+ timeout
        let old = wakeups
        try lockEverything(of: old, until: end)
        do throws(CrosstieError) {
            // Unless another thread has done it.
            if old.base == wakeups.base { try follow(from: old, in: directory, until: end) }
        } catch {
            unlockEverything(of: old)
            throw error
        }
        unlockEverything(of: old)
    }

    private func follow(
        from old: Wakeups, in directory: OpenDirectory, until end: UInt64
    ) throws(CrosstieError) {
        let hasMoved = try directory.value.withMembersLocked(timeout: remaining(until: end)) {
            () throws(CrosstieError) -> Bool in
            if !old.isMoved, isWhole(directory.value) { return false }
            switch try successor(of: old, in: directory.value) {
            case .none: try restore(from: old, in: directory)
            case .next(let wakeups): try adopt(wakeups, from: old, in: directory)
            case .other(let wakeups): try replace(wakeups, with: old, in: directory, until: end)
            }
            return true
        }
        if hasMoved { goOn(from: old, until: end) }
    }

    /// Takes up the work in the files that the group has now. The old locks are held.
    func goOn(from old: Wakeups, until end: UInt64) {
        forgetCaches()
        if old.isTakenIn {
            takenInAt.store(old.moveSequence, ordering: .relaxed)
            takenInCount.add(1, ordering: .releasing)
        }
        // Otherwise its slots are awaited as long as this process lives.
        let isLocked = (try? lockWriters(timeout: remaining(until: end))) != nil
        defer { if isLocked { unlockWriters() } }
        if isLocked { try? keepSlots(of: old) }
        moveCount.add(1, ordering: .acquiringAndReleasing)
        // Some other members look up in vain.
        wakeups.everybody.forEach { wakeups.nudge($0) }
        old.everybody.forEach { old.nudge($0) }
    }

    /// Restores the group where another one exists, and merges that one.
    private func replace(
        _ other: Wakeups, with old: Wakeups, in directory: OpenDirectory, until end: UInt64
    ) throws(CrosstieError) {
        defer { WakeupsFile.close(other) }
        let isOlder = other.lineage == old.lineage
        let aside = try setAside(other, for: old, in: directory.value, timeout: remaining(until: end))
        try restore(from: old, in: directory)
        forgetCaches()
        if isOlder {
            other.notifyForDeadWriter()
            warn("an older state of a group that is open had replaced it; it is kept in \(aside)")
        } else {
            takeIn(other, from: aside, timeout: remaining(until: end))
        }
    }

    private func forgetCaches() {
        interests.forget()
        knownTail = nil
        limits = wakeups.limits
    }

    /// Takes the slots that this process had; and other ones for those that were taken by others meanwhile. The writers'
    /// lock is held.
    private func keepSlots(of old: Wakeups) throws(CrosstieError) {
        for slot in wakeups.claimSlots(of: old, own: ownSlots) {
            guard let memberSlot = memberSlots[slot], let member = old.member(slot) else { continue }
            let next = try claimSlot(name: member.name)
            wakeups.describe(next, member)
            ownSlots[slot] = false
            memberSlots[slot] = nil
            memberSlots[next] = memberSlot
            memberSlot.move(to: next)
        }
        for slot in ownSlots.indices where ownSlots[slot] { wakeups.noteReader(slot, store.readerNumber) }
    }

    func remaining(until end: UInt64) -> UInt64 {
        let now = Clock.now()
        return end > now ? end &- now : 0
    }

    // MARK: The locks of the old wakeups

    /// Takes the writers' lock and both wake locks: from then on no other thread of this process is in the middle of a
    /// change, and no process writes. The unfinished work of a dead writer is completed.
    func lockEverything(of wakeups: Wakeups, until end: UInt64) throws(CrosstieError) {
        let result = wakeups.lockWriters(timeout: remaining(until: end))
        switch result {
        case 0: break
        case EOWNERDEAD:
            if wakeups.base == self.wakeups.base, !wakeups.isMoved { heal() }
        case ETIMEDOUT: throw CrosstieError(.timedOut, "another process has been holding the group for too long")
        default: throw CrosstieError(.corruptData, "the group's lock: \(String(cString: strerror(result)))")
        }
        let wakeLocks = [wakeups.wakeLocks.0, wakeups.wakeLocks.1]
        for (index, wakeLock) in wakeLocks.enumerated() {
            while true {
                let result = cp_robust_try(wakeLock)
                if result == 0 || result == EOWNERDEAD { break }
                guard result == EBUSY, Clock.now() < end else {
                    for taken in wakeLocks[..<index] { cp_robust_unlock(taken) }
                    cp_robust_unlock(wakeups.writerLock)
                    guard result == EBUSY else {
                        throw CrosstieError(.corruptData, "the group's lock: \(String(cString: strerror(result)))")
                    }
                    throw CrosstieError(.timedOut, "another process has been waking listeners for too long")
                }
                Clock.sleep(nanoseconds: 20_000)
            }
        }
    }

    func unlockEverything(of wakeups: Wakeups) {
        cp_robust_unlock(wakeups.wakeLocks.1)
        cp_robust_unlock(wakeups.wakeLocks.0)
        cp_robust_unlock(wakeups.writerLock)
    }
}
