/// Durable consumers that are removed when they have had no listener for long.
extension Group {
    /// The result of recording a listener.
    enum Entry {
        /// The name does not expire.
        case needless
        case made
        /// The cursor is another one by now.
        case late
    }

    /// Records that a member listens to a durable consumer, if that expires.
    func enterListening(
        _ key: CursorKey, _ identity: UInt64, by owner: UInt64, timeout: UInt64
    ) throws(CrosstieError) -> Entry {
        let expires = try read { snapshot throws(CrosstieError) in try snapshot.durableOptions(key).expiry > 0 }
        guard expires else { return .needless }
        var isKnown = false
        try transact(timeout: timeout, room: ListeningRecord.size) { transaction, _ throws(CrosstieError) in
            isKnown = try noteListener(key, identity, by: owner, isMore: true, in: transaction)
        }
        return isKnown ? .made : .late
    }

    /// Takes that back. From now on the name's time runs.
    func leaveListening(_ key: CursorKey, _ identity: UInt64, by owner: UInt64, timeout: UInt64) {
        // If it fails, the next process that finds the member dead does it.
        try? transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            _ = try noteListener(key, identity, by: owner, isMore: false, in: transaction)
        }
    }

    private func noteListener(
        _ key: CursorKey, _ identity: UInt64, by owner: UInt64, isMore: Bool,
        in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        guard var cursor = try transaction.cursor(key, boot: boot), cursor.identity == identity else { return false }
        try transaction.countListener(owner, of: identity, isMore: isMore)
        cursor.tally.boundAt = WallClock.now()
        try transaction.put(cursor, key, boot: boot)
        return true
    }

    /// Forgets the names whose time is over, and has the time of those run whose listeners have died. Now and then; it
    /// only reads as long as there is nothing to do.
    @inline(never)
    func expireNames(timeout: UInt64) throws(CrosstieError) {
        let now = WallClock.now()
        let concerned = try read { snapshot throws(CrosstieError) in
            var found: [CursorKey] = []
            for key in try snapshot.expiringConsumers() {
                if try verdict(on: key, at: now, in: snapshot, isAlive: isThere) != .stays { found.append(key) }
            }
            return found
        }
        guard !concerned.isEmpty else { return }
        var hasMore = false
        try transact(timeout: timeout) { transaction, _ throws(CrosstieError) in
            hasMore = false
            for key in concerned { hasMore = try expire(key, in: transaction) || hasMore }
        }
        wakeups.notifyRoom()
        while hasMore { hasMore = sweepForgotten(timeout: timeout) }
    }

    /// The action for a durable consumer.
    private enum Verdict {
        case stays
        /// A member with a listener has died.
        case runs
        case goes
    }

    private func verdict(
        on key: CursorKey, at now: Int64, in transaction: borrowing StoreTransaction, isAlive: (UInt64) -> Bool
    ) throws(CrosstieError) -> Verdict {
        guard let cursor = try transaction.cursor(key, boot: boot) else { return .stays }
        let listening = try transaction.listening(to: cursor.identity)
        if listening.contains(where: { !isAlive($0) }) { return .runs }
        guard listening.isEmpty, !cursor.owners.contains(where: isAlive) else { return .stays }
        let expiry = try transaction.durableOptions(key).expiry
        // A clock that was set back has it stay.
        let (idle, isTooLong) = now.subtractingReportingOverflow(cursor.tally.boundAt)
        return expiry > 0 && (isTooLong || idle >= 0 && UInt64(idle) >= expiry) ? .goes : .stays
    }

    /// Whether something waits that a name has left.
    private func expire(
        _ key: CursorKey, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        let now = WallClock.now()
        switch try verdict(on: key, at: now, in: transaction, isAlive: isAlive(owner:)) {
        case .stays: return false
        case .runs:
            guard var cursor = try transaction.cursor(key, boot: boot) else { return false }
            for owner in try transaction.listening(to: cursor.identity) where !isAlive(owner: owner) {
                try transaction.removeListening(owner, to: cursor.identity)
            }
            cursor.tally.boundAt = now
            try transaction.put(cursor, key, boot: boot)
            return false
        case .goes:
            _ = try removeCursor(key, in: transaction)
            return try transaction.removeForgotten(limit: Group.sweepStep)
        }
    }

    /// Whether the member of a number seems to live; called without a lock.
    func isThere(_ owner: UInt64) -> Bool {
        let slot = Int(owner & 0xFF)
        guard let member = wakeups.member(slot), memberID(slot) == owner else { return false }
        return member.process == process || wakeups.isAlive(slot)
    }
}

extension StoreTransaction {
    /// The names that expire.
    fileprivate func expiringConsumers() throws(CrosstieError) -> [CursorKey] {
        var found: [CursorKey] = []
        try scan(StoreKey.declared) { bytes, record in
            if let options = DurableOptions(record), options.expiry > 0, let key = CursorKey(stored: bytes) {
                found.append(key)
            }
            return .next
        }
        return found
    }
}
