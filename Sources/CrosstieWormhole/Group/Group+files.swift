internal import CPlatform
internal import Glibc

/// Noticing that files of an open group were removed: by `rm`, or by a cleaner that knows no locks. Those who have them
/// open still share them, and nobody else makes new ones meanwhile; so nothing is lost as long as one of them lives.
extension Group {
    private static var checkInterval: UInt64 { 1_000_000_000 }

    /// Checks once a second whether the files exist, and whether the group has gone on in other ones. A look at the
    /// clock would cost a reader much; so only one of some looks.
    @inline(__always)
    func checkFilesNowAndThen(timeout: UInt64) throws(CrosstieError) {
        let count = readCount.load(ordering: .relaxed)
        readCount.store(count &+ 1, ordering: .relaxed)
        if count & 15 == 0 { try checkFilesIfDue(timeout: timeout) }
    }

    @inline(__always)
    func checkFilesIfDue(timeout: UInt64) throws(CrosstieError) {
        if Clock.coarse() >= nextFileCheck.load(ordering: .relaxed) { try checkFiles(timeout: timeout) }
    }

    @inline(never)
    func checkFiles(timeout: UInt64) throws(CrosstieError) {
        nextFileCheck.store(Clock.coarse() &+ Group.checkInterval, ordering: .relaxed)
        guard case .directory(let directory) = place else {
            try? expireNames(timeout: 0)
            return
        }
        if bells.isMoved { return try followMove(timeout: timeout) }
        guard !isWhole(directory.value) else {
            if bells.isTurnToTouch { directory.value.touch() }
            // The process that holds the lock may be stopped: then it is done another time.
            try? expireNames(timeout: 0)
            return
        }
        do throws(CrosstieError) {
            try followMove(timeout: timeout)
            hasToldOfFailure.store(false, ordering: .relaxed)
        } catch {
            // Otherwise everybody goes on in the files that were removed, until it succeeds.
            if bells.isMoved { throw error }
            if !hasToldOfFailure.exchange(true, ordering: .relaxed) {
                tell(
                    "files of the group in \(directory.value.path) were removed, and are not restored: \(error.message)"
                )
            }
        }
    }

    /// Whether the names in the directory lead to the files that this process has open.
    func isWhole(_ directory: borrowing GroupDirectory) -> Bool {
        !directory.isRemoved && directory.files == bellsPlace.files
    }

    /// Whether another group has taken this one in since that was asked last.
    func isTakenIn(since seen: inout UInt64) -> Bool {
        let count = takenInCount.load(ordering: .acquiring)
        defer { seen = count }
        return count != seen
    }

    /// Any lock may be held.
    func tell(_ line: String) { log(.warning, line) }

    /// Goes on in the files that the group has now, which are made if nobody has made them.
    @inline(never)
    func followMove(timeout: UInt64) throws(CrosstieError) {
        guard case .directory(let directory) = place else { return }
        let end = Clock.now() &+ timeout
        let old = bells
        try lockEverything(of: old, until: end)
        do throws(CrosstieError) {
            // Unless another thread has done it.
            if old.base == bells.base { try follow(from: old, in: directory, until: end) }
        } catch {
            unlockEverything(of: old)
            throw error
        }
        unlockEverything(of: old)
    }

    private func follow(
        from old: Bells, in directory: OpenDirectory, until end: UInt64
    ) throws(CrosstieError) {
        let hasMoved = try directory.value.withOpenersLocked(timeout: remaining(until: end)) {
            () throws(CrosstieError) -> Bool in
            if !old.isMoved, isWhole(directory.value) { return false }
            switch try successor(of: old, in: directory.value) {
            case .none: try restore(from: old, in: directory)
            case .next(let bells): try adopt(bells, from: old, in: directory)
            case .other(let bells): try replace(bells, with: old, in: directory, until: end)
            }
            return true
        }
        if hasMoved { goOn(from: old, until: end) }
    }

    /// Takes up the work in the files that the group has now. The old locks are held.
    func goOn(from old: Bells, until end: UInt64) {
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
        // Of other openings some look up for nothing.
        bells.everybody.forEach { bells.nudge($0) }
        old.everybody.forEach { old.nudge($0) }
    }

    /// Restores the group where another one exists, and merges that one.
    private func replace(
        _ other: Bells, with old: Bells, in directory: OpenDirectory, until end: UInt64
    ) throws(CrosstieError) {
        defer { BellsFile.close(other) }
        let isOlder = other.lineage == old.lineage
        let aside = try setAside(other, for: old, in: directory.value, timeout: remaining(until: end))
        try restore(from: old, in: directory)
        forgetCaches()
        if isOlder {
            other.ringForTheDead()
            tell("an older state of a group that is open had been put in its place; it is kept in \(aside)")
        } else {
            takeIn(other, from: aside, timeout: remaining(until: end))
        }
    }

    private func forgetCaches() {
        interests.forget()
        knownTail = nil
        limits = bells.limits
    }

    /// Takes the slots that this process had; and other ones for those that were taken by others meanwhile. The writers'
    /// lock is held.
    private func keepSlots(of old: Bells) throws(CrosstieError) {
        for slot in bells.claimSlots(of: old, own: ownSlots) {
            guard let seat = seats[slot], let occupant = old.occupant(slot) else { continue }
            let next = try claimSlot(name: occupant.name)
            bells.describe(next, occupant)
            ownSlots[slot] = false
            seats[slot] = nil
            seats[next] = seat
            seat.move(to: next)
        }
        for slot in ownSlots.indices where ownSlots[slot] { bells.noteReader(slot, store.readerNumber) }
    }

    func remaining(until end: UInt64) -> UInt64 {
        let now = Clock.now()
        return end > now ? end &- now : 0
    }

    // MARK: The locks of the bells so far

    /// Takes the writers' lock and both intents: from then on no other thread of this process is in the middle of
    /// something, and nobody writes. The unfinished work of a dead writer is completed.
    func lockEverything(of bells: Bells, until end: UInt64) throws(CrosstieError) {
        let result = bells.lockWriters(timeout: remaining(until: end))
        switch result {
        case 0: break
        case EOWNERDEAD:
            if bells.base == self.bells.base, !bells.isMoved { heal() }
        case ETIMEDOUT: throw CrosstieError(.timedOut, "another process has been holding the group for too long")
        default: throw CrosstieError(.corruptData, "the group's lock: \(String(cString: strerror(result)))")
        }
        let intents = [bells.intentLocks.0, bells.intentLocks.1]
        for (index, intent) in intents.enumerated() {
            while true {
                let result = cp_robust_try(intent)
                if result == 0 || result == EOWNERDEAD { break }
                guard result == EBUSY, Clock.now() < end else {
                    for taken in intents[..<index] { cp_robust_unlock(taken) }
                    cp_robust_unlock(bells.writerLock)
                    throw CrosstieError(.timedOut, "another process has been waking listeners for too long")
                }
                Clock.sleep(nanoseconds: 20_000)
            }
        }
    }

    func unlockEverything(of bells: Bells) {
        cp_robust_unlock(bells.intentLocks.1)
        cp_robust_unlock(bells.intentLocks.0)
        cp_robust_unlock(bells.writerLock)
    }
}
