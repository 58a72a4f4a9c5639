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
            try transaction.requireRoomForCursor()
            // Each transaction's number is used once.
            identity = transaction.number
            let cursor = CursorState(identity: identity, next: fromOldest ? 0 : next &- 1)
            try transaction.put(cursor, key, boot: boot)
            bells.countInterestChange()
            try transaction.editInterest(key.topic) { $0.durableCount &+= 1 }
        }
        return identity
    }

    /// Removes a cursor. False if there is none.
    func forget(_ key: CursorKey, timeout: UInt64) throws(CrosstieError) -> Bool {
        var isKnown = false
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            isKnown = try key.bytes.withBytes { bytes throws(CrosstieError) in
                guard try transaction.get(StoreKey.cursor, bytes) != nil else { return false }
                try transaction.remove(StoreKey.cursor, bytes)
                return true
            }
            guard isKnown else { return }
            bells.countInterestChange()
            try transaction.editInterest(key.topic) { $0.durableCount = max($0.durableCount, 1) - 1 }
        }
        return isKnown
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
