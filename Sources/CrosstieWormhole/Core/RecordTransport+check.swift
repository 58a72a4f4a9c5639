/// Checks that a member makes once a second in its calls: of the files, and of its slot.
extension RecordTransport {
    private static var checkInterval: UInt64 { 1_000_000_000 }

    /// Reading the clock is expensive for a reader, so only some calls do it.
    @inline(__always)
    func checkNowAndThen() throws(CrosstieError) {
        if group.isReadersTurn { try checkIfDue() }
    }

    @inline(__always)
    func checkIfDue() throws(CrosstieError) {
        if Clock.coarse() >= nextCheck.load(ordering: .relaxed) { try check() }
    }

    @inline(never)
    private func check() throws(CrosstieError) {
        defer {
            let own = Clock.coarse() &+ RecordTransport.checkInterval
            nextCheck.store(min(own, group.nextFileCheck.load(ordering: .relaxed)), ordering: .relaxed)
        }
        try group.checkFilesIfDue(timeout: timeout)
        if !isTended.load(ordering: .relaxed) { _ = occupySlotIfLost() }
    }

    /// Takes the slot again, if another process has taken this member for dead. False if it was not lost.
    func occupySlotIfLost() -> Bool {
        guard let member, group.hostMembers == nil, group.wakeups.member(slot) != member else { return false }
        // Files that were removed are restored first, by a call that has time for that; it keeps the slot, too.
        guard !group.wakeups.isMoved else { return false }
        // The owner of the lock may be stopped: then it is tried again in a second.
        guard (try? group.lockWriters(timeout: 0)) != nil else { return false }
        defer { group.unlockWriters() }
        // Another thread may have done it meanwhile, and registered the listeners.
        guard group.wakeups.member(slot) != member else { return false }
        group.wakeups.occupy(slot, member)
        return true
    }
}
