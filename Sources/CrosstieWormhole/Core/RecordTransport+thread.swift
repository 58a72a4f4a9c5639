/// The part for the thread of the wormhole's listeners.
extension RecordTransport {
    func nudge() { group.wakeups.nudge(slot) }

    func mark() -> WakeMark {
        let watch = group.wakeups.writerWatch
        return WakeMark(
            wakeup: group.wakeups.wakeup(slot).pointee.load(ordering: .sequentiallyConsistent), watch: watch)
    }

    func isNotifiedSoon(since mark: WakeMark, hash: UInt64) -> Bool {
        group.wakeups.isNotifiedSoon(slot: slot, wakeup: mark.wakeup, hash: hash)
    }

    func sleep(since mark: WakeMark, until time: UInt64) {
        group.wakeups.sleep(slot: slot, wakeup: mark.wakeup, watch: mark.watch, until: min(time, group.nextLook))
    }

    func sequence() throws(CrosstieError) -> UInt64 {
        let newest = group.reached(try group.sequence(), awaited: &awaited)
        if group.hostMembers != nil, newest != seenSequence {
            seenSequence = newest
            // Others may have scheduled something, of which only the host's transport knows.
            if newest > group.announced { group.wakeups.forgetDueTime() }
        }
        return newest
    }

    func changes(after consumed: UInt64, upTo sequence: UInt64) -> Changes {
        guard sequence > consumed else { return .none }
        guard consumed != 0, sequence &- consumed <= WakeupsLayout.recentChangeCount / 2 else { return .unknown }
        guard group.announced >= sequence, group.wakeups.prefixNotesBegin <= consumed &+ 1 else { return .unknown }
        var changes = Changes.none
        for change in consumed + 1...sequence {
            guard let hash = group.wakeups.hash(ofChange: change), hash != 0 else { return .unknown }
            changes.insert(hash)
        }
        return changes
    }

    func hasChanged(below prefix: Topic, after consumed: UInt64) -> Bool {
        group.wakeups.newestBelow(prefix.hash) > consumed
    }

    var givenBackCount: UInt64 { group.wakeups.givenBack.pointee.load(ordering: .acquiring) }

    func tend() { group.tend() }

    func enterAgainIfLost(_ list: any ListenerList) {
        isTended.store(true, ordering: .relaxed)
        guard occupySlotIfLost() else { return }
        enterListening(list)
        queueInterests.enterAgain()
    }

    var hasMoved: Bool { group.moveCount.load(ordering: .acquiring) != seenMoves }

    func followMove(_ list: any ListenerList) {
        seenMoves = group.moveCount.load(ordering: .acquiring)
        enterListening(list)
        guard slot != seenSlot else { return }
        seenSlot = slot
        queueInterests.enterAgain()
    }

    /// Registers all topics of this member in the wakeups, and makes every listener due, because changes in between
    /// sent no notifications.
    private func enterListening(_ list: any ListenerList) {
        list.enterAgain {
            for (bucket, count) in bucketUses.enumerated() where count > 0 {
                group.wakeups.setBit(slot, in: WakeupsLayout.bucketsOffset + bucket * MemberMask.size, true)
            }
            group.wakeups.setBit(slot, in: WakeupsLayout.prefixMaskOffset, prefixUses > 0)
            // Changes in between sent no notifications and left no notes.
            group.beginPrefixNotes()
        }
    }
}
