/// Durable names: made when they are first listened to, and kept until they are forgotten.
extension Group {
    /// Finds a cursor, or makes it. Gives its identity.
    /// - Parameter fromOldest: a new one begins with the oldest message that is kept, and not with the next one.
    func openCursor(_ key: CursorKey, fromOldest: Bool, timeout: UInt64) throws(CrosstieError) -> UInt64 {
        // Without a change to the store, so that a full one can be listened to.
        let known = try read { snapshot throws(CrosstieError) in try snapshot.cursor(key, boot: boot) }
        if let known { return known.identity }
        var identity: UInt64 = 0
        try transact(timeout: timeout, room: CursorState.headerSize + InterestRecord.size) {
            transaction, next throws(CrosstieError) in
            if let known = try transaction.cursor(key, boot: boot) {
                identity = known.identity
                return
            }
            identity = try makeCursor(key, next: fromOldest ? 0 : next &- 1, in: transaction)
        }
        return identity
    }

    /// Makes a cursor, unless there is one, and says what holds for it.
    /// - Parameter mayChange: whether the options replace those that it was declared with.
    func declare(
        _ key: CursorKey, _ options: DurableOptions, fromOldest: Bool, mayChange: Bool, timeout: UInt64
    ) throws(CrosstieError) {
        try options.check(for: key.topic)
        let room = CursorState.headerSize + InterestRecord.size + options.encodedSize
        try transact(timeout: timeout, room: room) { transaction, next throws(CrosstieError) in
            let isKnown = try transaction.cursor(key, boot: boot) != nil
            if isKnown {
                let difference = options.difference(from: try transaction.durableOptions(key))
                guard let difference else { return }
                guard mayChange else {
                    throw CrosstieError(.conflict, "the durable name has other options: \(difference)")
                }
            } else {
                _ = try makeCursor(key, next: fromOldest ? 0 : next &- 1, in: transaction)
            }
            try transaction.put(options, key)
        }
    }

    /// Makes a cursor that there is not. Gives its identity.
    /// - Parameter next: after this number it begins.
    private func makeCursor(
        _ key: CursorKey, next: UInt64, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> UInt64 {
        try transaction.requireRoomForCursor()
        _ = try transaction.removeForgotten(limit: Group.sweepStep)
        // Each transaction's number is used once.
        let cursor = CursorState(identity: transaction.number, next: next)
        try transaction.put(cursor, key, boot: boot)
        bells.countInterestChange()
        try transaction.editInterest(key.topic) { $0.durableCount &+= 1 }
        return cursor.identity
    }

    /// Removes a cursor. False if there is none.
    func forget(_ key: CursorKey, timeout: UInt64) throws(CrosstieError) -> Bool {
        var isKnown = false
        var hasMore = false
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            isKnown = try key.bytes.withBytes { bytes throws(CrosstieError) in
                guard try transaction.get(StoreKey.cursor, bytes) != nil else { return false }
                try transaction.remove(StoreKey.cursor, bytes)
                try transaction.remove(StoreKey.declared, bytes)
                return true
            }
            guard isKnown else { return }
            bells.countInterestChange()
            try transaction.editInterest(key.topic) { $0.durableCount = max($0.durableCount, 1) - 1 }
            hasMore = try transaction.removeForgotten(limit: Group.sweepStep)
        }
        while hasMore { hasMore = sweepForgotten(timeout: timeout) }
        return isKnown
    }

    /// How many records of forgotten names are removed while others wait.
    fileprivate static var sweepStep: Int { 1000 }

    /// Removes some more of what waited for names that are forgotten. What cannot be removed now goes with the next one
    /// that is made or forgotten. Gives whether there is more that can be removed.
    private func sweepForgotten(timeout: UInt64) -> Bool {
        var hasMore = false
        try? transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            hasMore = try transaction.removeForgotten(limit: Group.sweepStep)
        }
        return hasMore
    }

    /// Whether one of some openings is no more. The writers' lock is not held.
    func isAnyGone(_ owners: Set<UInt64>, timeout: UInt64) throws(CrosstieError) -> Bool {
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
            throw CrosstieError(.limit, "a group has at most \(CursorKey.maximumCount) durable names")
        }
    }
}
