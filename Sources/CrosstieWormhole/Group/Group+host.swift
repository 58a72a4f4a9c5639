internal import Glibc
import Synchronization

/// A group whose records a host's own transport keeps. Each member has its own `Group`.
extension Group {
    static func open(_ transport: HostTransport, _ options: WormholeOptions) throws(CrosstieError) -> Group {
        try transport.check()
        transport.timeout = options.timeoutNanoseconds
        try transport.adoptLimits(maximumValueSize: options.maximumValueSize)
        let wakeups = try WakeupsFile.anonymous(options)
        let store = HostStore(transport)
        let hostMembers = HostMembers(transport, store.steps, wakeups: wakeups)
        let group = Group(
            location: .host(transport), wakeups: CurrentWakeups(wakeups), store: store,
            hostMembers: hostMembers)
        do throws(CrosstieError) {
            try group.untilReconciled(timeout: options.timeoutNanoseconds) { () throws(CrosstieError) in
                try group.makeCounts(mustExist: options.mustExist)
            }
            try hostMembers.beginWatching()
        } catch {
            group.close(timeout: options.timeoutNanoseconds)
            throw error
        }
        return group
    }

    /// Whether several wormholes of this process share it.
    var isShared: Bool { hostMembers == nil }

    /// The time at which a listener's thread looks by itself, if the transport has no watch.
    var nextLook: UInt64 {
        guard let hostMembers, !hostMembers.transport.canWatch else { return .max }
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
    func enter(_ hostMembers: HostMembers, name: [UInt8], timeout: UInt64) throws(CrosstieError) -> Int {
        let member = Member(
            process: .own(), since: WallClock.now(), name: String(decoding: name, as: UTF8.self))
        let transportID = hostMembers.transport.knowsMembers ? try hostMembers.transport.join(name) : 0
        let record = MemberRecord(member, transportID: transportID)
        hostMembers.steps.key = [StoreKey.token] + record.tokenName
        var slot = 0
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            slot = try hostMembers.enter(record, in: transaction)
        }
        hostMembers.didEnter(record, slot: slot)
        ownSlots[slot] = true
        return slot
    }

    func leave(_ hostMembers: HostMembers, slot: Int, timeout: UInt64) {
        hostMembers.endWatching()
        let own = hostMembers.ownRecord
        hostMembers.steps.key = nil
        // A record that cannot be removed now is removed by another member, which finds this one dead.
        try? transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            if let own { try transaction.remove(own, slot: slot) }
        }
    }

    /// Takes over what others have committed since this process looked last. The writers' lock is held.
    @inline(never)
    func adopt(_ hostMembers: HostMembers, from transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try hostMembers.update(from: transaction, asking: false)
        wakeups.countInterestChange()
        wakeups.forgetDueTime()
    }

    /// Frees what dead processes hold. Once a second.
    func tend() {
        store.clearDeadReaders()
        if let hostMembers {
            tend(hostMembers)
            try? expireNames(timeout: 0)
            return
        }
        try? checkFiles(timeout: 1_000_000_000)
        sweepExpired()
        guard wakeups.isTurnToLook, hasDeadMembers else { return }
        // The process that holds the lock may be stopped; a dead member can be reported all the same.
        guard (try? lockWriters(timeout: 0)) != nil else { return wakeups.notifyPresence() }
        wakeups.reapSlots(own: ownSlots)
        unlockWriters()
    }

    private func tend(_ hostMembers: HostMembers) {
        sweepExpired()
        guard let look = try? lookForMembers(timeout: 0), !look.dead.isEmpty || look.hasNews else { return }
        try? transact(timeout: 0) { transaction, _ throws(CrosstieError) in
            for slot in try hostMembers.update(from: transaction, asking: true) { try transaction.removeMember(slot) }
        }
    }

    /// Copies the current members from the store into the wakeups. Returns the slots of dead members that are still in
    /// the store, and whether this member must update its own record.
    @discardableResult
    func lookForMembers(timeout: UInt64) throws(CrosstieError) -> (dead: [Int], hasNews: Bool) {
        guard let hostMembers else { return ([], false) }
        return try read { snapshot throws(CrosstieError) in
            try lockWriters(timeout: timeout)
            defer { unlockWriters() }
            return (try hostMembers.update(from: snapshot, asking: true), hostMembers.hasNews)
        }
    }
}
