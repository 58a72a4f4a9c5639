import Synchronization

/// Removing expired messages: they are not delivered any more and only take room. That may be late; a reader checks the
/// time itself.
extension Group {
    /// Notes that a change which is being written expires, if it does.
    @inline(never)
    func noteExpiry(
        of change: Change, isQueued: Bool, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        let expiry = change.head?.withUnsafeBytes { MessageTags(before: $0)?.expiry } ?? 0
        guard expiry > 0, let identifier = change.identifier else { return }
        try transaction.markExpiring(identifier.bytes)
        guard isQueued else { return }
        try transaction.markExpiring(StoreTransaction.queueMark)
        wakeups.noteQueuedExpiry(UInt64(expiry))
    }

    /// Removes some expired messages. One process does it for all, about once a second.
    func sweepExpired() {
        guard wakeups.isTurn(WakeupsLayout.expiryLookOffset, after: 900_000_000) else { return }
        // Messages that cannot be removed now stay for the next time.
        try? sweepExpiredMessages()
        do throws(CrosstieError) {
            try sweepExpiredQueue()
        } catch {
            wakeups.noteQueuedExpiry(DueTimes.now)
        }
    }

    // MARK: Under identifiers

    private func sweepExpiredMessages() throws(CrosstieError) {
        let start = expirySweep.position
        let found = try read { snapshot throws(CrosstieError) in try snapshot.expired(from: start) }
        expirySweep.position = found.next
        guard !found.names.isEmpty else { return }
        try transact(timeout: 1_000_000_000) { transaction, _ throws(CrosstieError) in
            for name in found.names { try transaction.removeExpired(name) }
        }
    }

    // MARK: In the log

    /// Looks through the log when something in it may have expired; the less often the longer that takes.
    private func sweepExpiredQueue() throws(CrosstieError) {
        guard try isQueueSweepDue(), try beginQueueSweep() else { return }
        let begin = Clock.now()
        var purge = Purge(expiredBefore: try sequence() &+ 1)
        defer { if purge.removedCount > 0 { wakeups.notifyRoom() } }
        try remove(&purge, until: begin &+ 10_000_000_000) {
            noteQueueSweep()
            return true
        }
        let next = try nextQueuedExpiry()
        if next == DueTimes.never { return try endQueueSweep() }
        wakeups.noteQueuedExpiry(max(next, DueTimes.now &+ 20 &* (Clock.now() &- begin)))
    }

    /// Whether a message has expired; or the process that searched the log has died before it recorded the next expiry.
    private func isQueueSweepDue() throws(CrosstieError) -> Bool {
        let expiry = wakeups.queuedExpiry
        guard expiry == DueTimes.never else { return expiry <= DueTimes.now }
        guard wakeups.isTurn(WakeupsLayout.queueSweepOffset, after: 3_000_000_000) else { return false }
        return try read { snapshot throws(CrosstieError) in
            try snapshot.isMarkedExpiring(StoreTransaction.queueMark)
        }
    }

    /// Says that this process is looking through the log.
    private func noteQueueSweep() { _ = wakeups.isTurn(WakeupsLayout.queueSweepOffset, after: 0) }

    /// From here on a process that queues an expiring message records that. False if there is nothing to look for.
    private func beginQueueSweep() throws(CrosstieError) -> Bool {
        try lockWriters(timeout: 1_000_000)
        defer { unlockWriters() }
        let snapshot = try store.reading()
        wakeups.forgetQueuedExpiry()
        noteQueueSweep()
        return try snapshot.isMarkedExpiring(StoreTransaction.queueMark)
    }

    private func endQueueSweep() throws(CrosstieError) {
        try transact(timeout: 1_000_000_000) { transaction, _ throws(CrosstieError) in
            guard wakeups.queuedExpiry == DueTimes.never else { return }
            try transaction.unmarkExpiring(StoreTransaction.queueMark)
        }
    }

    /// When the next one in the log expires.
    private func nextQueuedExpiry() throws(CrosstieError) -> UInt64 {
        var (reached, next, isOver) = (UInt64(0), DueTimes.never, false)
        while !isOver {
            noteQueueSweep()
            let start = reached
            let found = try read { snapshot throws(CrosstieError) in try snapshot.earliestExpiry(after: start) }
            (reached, isOver) = (found.reached, found.isOver)
            next = min(next, found.expiry)
        }
        return next
    }
}

extension Wakeups {
    private var queuedExpiryWord: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.queuedExpiryOffset) }

    /// When something that is queued expires, or the log is to be looked through for that: as ``dueTime``.
    var queuedExpiry: UInt64 { queuedExpiryWord.pointee.load(ordering: .acquiring) }

    /// Notes that something is queued which expires at a time.
    func noteQueuedExpiry(_ time: UInt64) {
        var known = queuedExpiry
        while known != DueTimes.unknown, time < known {
            let (done, seen) = queuedExpiryWord.pointee.compareExchange(
                expected: known, desired: time, ordering: .acquiringAndReleasing)
            if done { return }
            known = seen
        }
    }

    /// Notes that nothing is. The writers' lock is held.
    func forgetQueuedExpiry() { queuedExpiryWord.pointee.store(DueTimes.never, ordering: .releasing) }
}

/// Marks of identifiers that may have a message which expires, and one of the log.
extension StoreTransaction {
    /// Stands for the log.
    fileprivate static var queueMark: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    fileprivate func markExpiring(_ name: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard try !isMarkedExpiring(name) else { return }
        try reserve(StoreKey.expiring, name, size: 1).copyBytes(from: [1])
    }

    fileprivate func isMarkedExpiring(_ name: UnsafeRawBufferPointer) throws(CrosstieError) -> Bool {
        try get(StoreKey.expiring, name) != nil
    }

    fileprivate func unmarkExpiring(_ name: UnsafeRawBufferPointer) throws(CrosstieError) {
        try remove(StoreKey.expiring, name)
    }

    /// Some identifiers with outdated marks or expired messages, and the one to continue with; at the end the first.
    fileprivate func expired(from start: [UInt8]) throws(CrosstieError) -> (names: [[UInt8]], next: [UInt8]) {
        var marked: [[UInt8]] = []
        var next: [UInt8] = []
        try scan(StoreKey.expiring, from: start) { name, _ in
            guard marked.count < 1024 else {
                next = Array(name)
                return .stop
            }
            if !name.isEmpty { marked.append(Array(name)) }
            return .next
        }
        var names: [[UInt8]] = []
        for name in marked where try expires(name) != .later && names.count < 256 { names.append(name) }
        return (names, next)
    }

    /// Removes the expired messages of an identifier, and its mark when none of its messages can expire.
    fileprivate func removeExpired(_ name: [UInt8]) throws(CrosstieError) {
        try name.withBytes { name throws(CrosstieError) in
            for type in [StoreKey.current, StoreKey.signal] where try expires(type, name) == .now {
                try remove(type, name)
            }
            let left = [try expires(StoreKey.current, name), try expires(StoreKey.signal, name)]
            if left == [.never, .never] { try unmarkExpiring(name) }
        }
    }

    private func expires(_ name: [UInt8]) throws(CrosstieError) -> Expires {
        try name.withBytes { name throws(CrosstieError) in
            let both = [try expires(StoreKey.current, name), try expires(StoreKey.signal, name)]
            return both.contains(.now) ? .now : both.contains(.later) ? .later : .never
        }
    }

    private func expires(_ type: UInt8, _ name: UnsafeRawBufferPointer) throws(CrosstieError) -> Expires {
        guard let record = try get(type, name).flatMap({ StateRecord($0) }), let tags = MessageTags(record.tags),
            tags.expiry != 0
        else { return .never }
        return tags.hasExpired ? .now : .later
    }

    /// When the first of some messages in the log expires.
    fileprivate func earliestExpiry(
        after start: UInt64
    ) throws(CrosstieError) -> (expiry: UInt64, reached: UInt64, isOver: Bool) {
        var found = (expiry: DueTimes.never, reached: start, isOver: true)
        var left = Purge.longestReading
        try scanBlocks(after: start) { sequence, block throws(CrosstieError) in
            guard left > 0 else {
                found.isOver = false
                return .stop
            }
            left -= 1
            found.reached = sequence
            _ = try block?.forEach { _, record in
                if let record, let expiry = MessageTags(record.tags)?.expiry, expiry > 0 {
                    found.expiry = min(found.expiry, UInt64(expiry))
                }
                return .next
            }
            return .next
        }
        return found
    }
}

extension StoreTransaction {
    private enum Expires {
        case now, later, never
    }
}
