internal import Glibc
import Synchronization

/// A group whose records a host's own transport keeps. Each opening has one of its own.
extension Group {
    static func open(_ transport: HostTransport, _ options: WormholeOptions) throws(CrosstieError) -> Group {
        try transport.check()
        let bells = try BellsFile.anonymous(options)
        let openings = HostOpenings(transport, bells: bells)
        let group = Group(
            place: .host(transport), bells: BellsPlace(bells), store: HostStore(transport), openings: openings)
        do throws(CrosstieError) {
            try group.untilSettled(timeout: options.timeoutNanoseconds) { () throws(CrosstieError) in
                try group.makeCounts(mustExist: options.mustExist)
            }
            try openings.beginWatching()
        } catch {
            group.close(timeout: options.timeoutNanoseconds)
            throw error
        }
        return group
    }

    /// Whether several openings of this process have it together.
    var isShared: Bool { openings == nil }

    /// When a listener's thread has to look by itself, for want of a watch.
    var nextLook: UInt64 {
        guard let openings, !openings.transport.canWatch else { return .max }
        return Clock.now() &+ 50_000_000
    }

    /// Writes the group's counts into a store without a record; those of a newer format are refused.
    private func makeCounts(mustExist: Bool) throws(CrosstieError) {
        var transaction = try store.writing()
        guard try transaction.records.last() == nil else {
            _ = try transaction.meta()
            return
        }
        if mustExist { throw CrosstieError(.notFound, "the transport has no record") }
        var meta = StoreMeta()
        // The numbers of messages begin with 1, whatever was committed before.
        meta.offset = 1 &- transaction.number
        try transaction.put(meta)
        try transaction.commit()
    }

    /// Takes a slot that no other process has.
    func enter(_ openings: HostOpenings, name: [UInt8], timeout: UInt64) throws(CrosstieError) -> Int {
        let occupant = Occupant(
            process: .own(), since: WallClock.now(), name: String(decoding: name, as: UTF8.self))
        let member = openings.transport.knowsMembers ? try openings.transport.join(name) : 0
        let opening = Opening(occupant, member: member)
        var slot = 0
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            slot = try openings.enter(opening, in: transaction)
        }
        openings.didEnter(opening, slot: slot)
        ownSlots[slot] = true
        return slot
    }

    func leave(_ openings: HostOpenings, slot: Int, timeout: UInt64) {
        openings.endWatching()
        // A record that cannot be removed now is removed by another member, which finds this one dead.
        try? transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            try transaction.removeOpening(slot)
        }
    }

    /// Takes over what others have committed since this process looked last. The writers' lock is held.
    @inline(never)
    func adopt(_ openings: HostOpenings, from transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try openings.update(from: transaction, asking: false)
        bells.countInterestChange()
        bells.forgetDueTime()
    }

    /// Frees what dead processes hold. Once a second.
    func tend() {
        store.clearDeadReaders()
        if let openings {
            tend(openings)
            try? expireNames(timeout: 0)
            return
        }
        try? checkFiles(timeout: 1_000_000_000)
        sweepExpired()
        guard bells.isTurnToLook, hasDeadMembers else { return }
        // The process that holds the lock may be stopped; a dead member can be reported all the same.
        guard (try? lockWriters(timeout: 0)) != nil else { return bells.tellOfPresence() }
        bells.reapSlots(own: ownSlots)
        unlockWriters()
    }

    private func tend(_ openings: HostOpenings) {
        sweepExpired()
        guard let look = try? lookForMembers(timeout: 0), !look.dead.isEmpty || look.hasNews else { return }
        try? transact(timeout: 0) { transaction, _ throws(CrosstieError) in
            for slot in try openings.update(from: transaction, asking: true) { try transaction.removeOpening(slot) }
        }
    }

    /// Has the bells show who has the group open now. Gives the slots of those that died and stand in the store yet,
    /// and whether this opening has something to tell the others.
    @discardableResult
    func lookForMembers(timeout: UInt64) throws(CrosstieError) -> (dead: [Int], hasNews: Bool) {
        guard let openings else { return ([], false) }
        return try read { snapshot throws(CrosstieError) in
            try lockWriters(timeout: timeout)
            defer { unlockWriters() }
            return (try openings.update(from: snapshot, asking: true), openings.hasNews)
        }
    }
}
