/// Durable consumers: made when they are first listened to, and kept until they are forgotten.
extension Group {
    /// Finds a cursor, or makes it. Gives its identity.
    /// - Parameter start: where a new one begins.
    func openCursor(_ key: CursorKey, from start: QueueStart, timeout: UInt64) throws(CrosstieError) -> UInt64 {
        // Without a change to the store, so that a full one can be listened to.
        let known = try storedCursor(key)
        if let known { return known.identity }
        let position = try position(of: start)
        var (attempts, made) = (0, nil as UInt64?)
        while true {
            let kept = try keptCount(of: key.topic, after: position, &attempts)
            try transact(timeout: timeout, room: CursorState.headerSize + InterestRecord.size) {
                transaction, next throws(CrosstieError) in
                if let known = try transaction.cursor(key, boot: boot) {
                    made = known.identity
                } else {
                    made = try makeCursor(key, kept, next: next, in: transaction)
                }
            }
            if let made { return made }
        }
    }

    /// The cursor of a durable consumer; nil if there is none.
    @inline(never)
    func storedCursor(_ key: CursorKey) throws(CrosstieError) -> CursorState? {
        try read { snapshot throws(CrosstieError) in try snapshot.cursor(key, boot: boot) }
    }

    /// Makes a cursor, unless there is one, and says what holds for it.
    /// - Parameter mayChange: whether the options replace those that it was declared with.
    func declare(
        _ key: CursorKey, _ options: DurableOptions, fromOldest: Bool, mayChange: Bool, timeout: UInt64
    ) throws(CrosstieError) {
        try options.check(for: key.topic)
        let isKnown = try storedCursor(key) != nil
        var (attempts, isMade) = (0, false)
        while !isMade {
            let kept = try keptCount(of: key.topic, after: fromOldest && !isKnown ? 0 : .max, &attempts)
            isMade = try declare(key, options, kept, mayChange: mayChange, timeout: timeout)
        }
        wakeups.notifyRoom()
    }

    /// False if the count of kept messages was of no use.
    private func declare(
        _ key: CursorKey, _ options: DurableOptions, _ kept: KeptCount, mayChange: Bool, timeout: UInt64
    ) throws(CrosstieError) -> Bool {
        let room = CursorState.headerSize + InterestRecord.size + options.encodedSize
        var isMade = false
        try transact(timeout: timeout, room: room) { transaction, next throws(CrosstieError) in
            isMade = true
            if var cursor = try transaction.cursor(key, boot: boot) {
                let known = try transaction.durableOptions(key)
                guard let difference = options.difference(from: known) else { return }
                guard mayChange else {
                    throw CrosstieError(
                        .conflict, "the durable consumer \(Quotation.quoted(key.name)) has other options: \(difference)"
                    )
                }
                wakeups.countInterestChange()
                // Members that listen to a consumer that did not expire have no record of it.
                cursor.tally.boundAt = WallClock.now() &+ (known.expiry == 0 ? Group.timeToEnter : 0)
                try transaction.put(cursor, key, boot: boot)
            } else {
                isMade = try makeCursor(key, kept, next: next, in: transaction) != nil
                guard isMade else { return }
            }
            try transaction.put(options, key)
            try dropBeyondLimits(key, options, in: transaction)
        }
        return isMade
    }

    /// Within so many nanoseconds listeners find that their name expires from now on: they look once a second.
    private static var timeToEnter: Int64 { 5_000_000_000 }

    /// Makes a cursor that there is not. Gives its identity; nil if the count of kept messages was of no use.
    /// - Parameters:
    ///   - kept: the messages after its position.
    ///   - next: the number that the next message will have.
    private func makeCursor(
        _ key: CursorKey, _ kept: KeptCount, next: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> UInt64? {
        try transaction.requireRoomForCursor()
        _ = try transaction.removeForgotten(limit: Group.sweepStep)
        try countForCursors(upTo: next &- 1, in: transaction)
        if kept.position <= (try transaction.meta().dropped) { try trimRetained(transaction, newest: next &- 1) }
        // A consumer that never drops messages may keep some of the dropped ones.
        let position = try transaction.begin(of: nil, at: min(kept.position, next &- 1))
        guard let left = try kept.total(after: position, in: transaction) else { return nil }
        // Each transaction's number is used once.
        var cursor = CursorState(identity: transaction.number, next: position)
        cursor.tally.taken = (try transaction.interest(key.topic)?.logged ?? LogTail()) &- left
        cursor.tally.boundAt = WallClock.now()
        try transaction.put(cursor, key, boot: boot)
        wakeups.countInterestChange()
        try transaction.editInterest(key.topic) { $0.durableCount &+= 1 }
        return cursor.identity
    }

    /// Has everything counted that has been queued.
    private func countForCursors(
        upTo newest: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        try interests.refresh(transaction, wakeups)
        try countLogged(upTo: newest, in: transaction)
    }

    /// Moves a cursor. False if there is none.
    func seek(_ key: CursorKey, to start: QueueStart, timeout: UInt64) throws(CrosstieError) -> Bool {
        let position = try position(of: start)
        var (attempts, isMoved, hasMore) = (0, false as Bool?, false)
        while isMoved == false {
            let kept = try keptCount(of: key.topic, after: position, for: key, &attempts)
            _ = try transactSeldom(
                count: 0, timeout: timeout, room: nil, identifier: { _ in nil }, listeners: { sharers(of: key.topic) }
            ) { transaction, next throws(CrosstieError) in
                isMoved = try seek(key, to: position, kept, next: next, in: transaction)
                hasMore = isMoved == true ? try transaction.removeForgotten(limit: Group.sweepStep) : false
            }
        }
        wakeups.notifyRoom()
        while hasMore { hasMore = sweepForgotten(timeout: timeout) }
        return isMoved != nil
    }

    /// False if the count of kept messages was of no use; nil if there is no such cursor.
    private func seek(
        _ key: CursorKey, to position: UInt64, _ kept: KeptCount, next: UInt64,
        in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool? {
        guard var cursor = try transaction.cursor(key, boot: boot) else { return nil }
        try countForCursors(upTo: next &- 1, in: transaction)
        let position = try transaction.begin(of: key, at: min(position, next &- 1))
        guard let left = try kept.total(after: position, for: cursor, in: transaction) else { return false }
        let taken = (try transaction.interest(key.topic)?.logged ?? LogTail()) &- left
        cursor.seek(after: position, taken: taken, shelf: transaction.number)
        try transaction.put(cursor, key, boot: boot)
        // More may wait for it than anybody knows.
        wakeups.countInterestChange()
        return true
    }

    /// Removes a cursor. False if there is none.
    func forget(_ key: CursorKey, timeout: UInt64) throws(CrosstieError) -> Bool {
        var isKnown = false
        var hasMore = false
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            isKnown = try removeCursor(key, in: transaction)
            if isKnown { hasMore = try transaction.removeForgotten(limit: Group.sweepStep) }
        }
        wakeups.notifyRoom()
        while hasMore { hasMore = sweepForgotten(timeout: timeout) }
        return isKnown
    }

    /// Removes a cursor, but not yet the messages that wait for it. False if there is none.
    func removeCursor(
        _ key: CursorKey, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        let isKnown = try key.bytes.withBytes { bytes throws(CrosstieError) in
            guard try transaction.get(StoreKey.cursor, bytes) != nil else { return false }
            try transaction.remove(StoreKey.cursor, bytes)
            try transaction.remove(StoreKey.declared, bytes)
            return true
        }
        guard isKnown else { return false }
        wakeups.countInterestChange()
        try transaction.editInterest(key.topic) { $0.durableCount = max($0.durableCount, 1) - 1 }
        return true
    }

    /// The number of records of forgotten consumers that are removed while others wait.
    static var sweepStep: Int { 1000 }

    /// Removes more of the records that waited for forgotten consumers. Records that cannot be removed now are removed
    /// with the next consumer that is made or forgotten. Gives whether there is more that can be removed.
    func sweepForgotten(timeout: UInt64) -> Bool {
        do throws(CrosstieError) {
            var hasMore = false
            try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
                hasMore = try transaction.removeForgotten(limit: Group.sweepStep)
            }
            return hasMore
        } catch {
            return false
        }
    }

    /// Whether any of these members has ended. The writers' lock is not held.
    func hasEnded(anyOf owners: Set<UInt64>, timeout: UInt64) throws(CrosstieError) -> Bool {
        guard !owners.isEmpty else { return false }
        try lockWriters(timeout: timeout)
        defer { unlockWriters() }
        return owners.contains { !isAlive(owner: $0) }
    }
}

extension StoreTransaction {
    fileprivate func requireRoomForCursor() throws(CrosstieError) {
        var count = 0
        try scan(StoreKey.cursor) { _, _ in
            count += 1
            return .next
        }
        guard count < CursorKey.maximumCount else {
            throw CrosstieError(.limitExceeded, "a group has at most \(CursorKey.maximumCount) durable consumers")
        }
    }
}
