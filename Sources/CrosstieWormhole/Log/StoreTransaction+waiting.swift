/// Messages that wait for their next try. Each operation costs as much with a million of them as with one.
extension StoreTransaction {
    /// Has a message wait.
    /// - Parameter identity: the cursor's shelf.
    func put(_ waiting: WaitingMessage, of identity: UInt64) throws(CrosstieError) {
        try WaitingKey.bySequence(waiting.sequence, of: identity).withBytes { key throws(CrosstieError) in
            let room = try reserve(StoreKey.waiting, key, size: WaitingMessage.size)
            waiting.due.write(into: room)
        }
        try WaitingKey.byTime(waiting.due, waiting.sequence, of: identity).withBytes { key throws(CrosstieError) in
            let room = try reserve(StoreKey.due, key, size: WaitingMessage.dueSize)
            room.storeBytes(of: waiting.attempts, as: UInt32.self)
        }
    }

    /// Claims messages whose time has come, the earliest time first.
    func claimDue(
        from cursor: inout CursorState, at now: UInt64, by owner: UInt64, limit: Int
    ) throws(CrosstieError) -> [CursorState.Delivery] {
        guard limit > 0, cursor.waitingCount > 0 else { return [] }
        let (identity, era) = (cursor.shelf, cursor.era)
        var found: [WaitingMessage] = []
        try scanDue(from: WaitingKey.first(of: identity), of: identity) { waiting in
            guard found.count < limit, waiting.due.clock(in: era) <= now else { return .stop }
            found.append(waiting)
            return .remove
        }
        return try claim(found, from: &cursor, by: owner)
    }

    /// Claims dead letters that have been put back, in the order of their numbers.
    func claimRetried(
        from cursor: inout CursorState, by owner: UInt64, limit: Int
    ) throws(CrosstieError) -> [CursorState.Delivery] {
        guard limit > 0, cursor.waitingCount > 0 else { return [] }
        let due = DueTime(era: cursor.era, clock: 0)
        var found: [WaitingMessage] = []
        let start = WaitingKey.byTime(due, 0, of: cursor.shelf)
        try scanDue(from: start, of: cursor.shelf) { waiting in
            guard found.count < limit, waiting.due == due else { return .stop }
            found.append(waiting)
            return .remove
        }
        return try claim(found, from: &cursor, by: owner)
    }

    private func claim(
        _ found: [WaitingMessage], from cursor: inout CursorState, by owner: UInt64
    ) throws(CrosstieError) -> [CursorState.Delivery] {
        let (identity, time) = (cursor.shelf, WallClock.now())
        var claimed: [CursorState.Delivery] = []
        for waiting in found {
            guard try due(waiting.sequence, of: identity) == waiting.due,
                let delivery = cursor.claim(waiting, by: owner, at: time)
            else { throw StoreTransaction.damagedWaiting }
            try WaitingKey.bySequence(waiting.sequence, of: identity).withBytes { key throws(CrosstieError) in
                try remove(StoreKey.waiting, key)
            }
            claimed.append(delivery)
        }
        return claimed
    }

    /// When a listener of a name has to be given something again: 0 for at once, the largest number for never.
    func nextDue(of cursor: CursorState) throws(CrosstieError) -> UInt64 {
        if cursor.hasGivenBack { return 0 }
        // If there is no room, the process that makes room notifies the others.
        guard cursor.waitingCount > 0, !cursor.isFull else { return .max }
        guard let first = try firstDue(of: cursor) else { throw StoreTransaction.damagedWaiting }
        return first
    }

    /// When the next try of the first message is due that waits for one; nil if none does.
    func firstDue(of cursor: CursorState) throws(CrosstieError) -> UInt64? {
        var first: WaitingMessage?
        try scanDue(from: WaitingKey.first(of: cursor.shelf), of: cursor.shelf) { waiting in
            first = waiting
            return .stop
        }
        return first?.due.clock(in: cursor.era)
    }

    /// The first message at or after a sequence that waits, or that is a dead letter for another type of record; nil
    /// for none. Malformed records are skipped.
    func firstWaiting(
        of identity: UInt64, from sequence: UInt64, type: UInt8 = StoreKey.waiting
    ) throws(CrosstieError) -> UInt64? {
        var found: UInt64?
        try scan(type, from: WaitingKey.bySequence(sequence, of: identity)) { key, _ in
            guard WaitingKey.identity(key) == identity else { return .stop }
            found = WaitingKey.sequence(key)
            return found == nil ? .next : .stop
        }
        return found
    }

    /// Removes a message that waits, if it does.
    func removeWaiting(_ sequence: UInt64, of identity: UInt64) throws(CrosstieError) {
        if let due = try due(sequence, of: identity) {
            try WaitingKey.byTime(due, sequence, of: identity).withBytes { key throws(CrosstieError) in
                try remove(StoreKey.due, key)
            }
        }
        try WaitingKey.bySequence(sequence, of: identity).withBytes { key throws(CrosstieError) in
            try remove(StoreKey.waiting, key)
        }
    }

    /// Removes the waiting messages and dead letters of removed cursors, so many records at most. True if there may
    /// be more.
    func removeForgotten(limit: Int) throws(CrosstieError) -> Bool {
        var (shelves, identities): (Set<UInt64>, Set<UInt64>) = ([], [])
        try scan(StoreKey.cursor) { _, record in
            guard let numbers = CursorState.numbers(record) else { return .next }
            shelves.insert(numbers.shelf)
            identities.insert(numbers.identity)
            return .next
        }
        var left = limit
        for type in [StoreKey.waiting, StoreKey.due, StoreKey.listening, StoreKey.deadLetter] {
            let living = type == StoreKey.listening || type == StoreKey.deadLetter ? identities : shelves
            var start: [UInt8]? = []
            while let from = start, left > 0 {
                start = nil
                try scan(type, from: from) { key, _ in
                    guard left > 0 else { return .stop }
                    if let identity = WaitingKey.identity(key), living.contains(identity) {
                        start = identity < .max ? WaitingKey.first(of: identity + 1) : nil
                        return .stop
                    }
                    left -= 1
                    return .remove
                }
            }
        }
        return left == 0
    }

    // MARK: Records

    /// The time stored under a sequence; nil for none.
    private func due(_ sequence: UInt64, of identity: UInt64) throws(CrosstieError) -> DueTime? {
        try WaitingKey.bySequence(sequence, of: identity).withBytes { key throws(CrosstieError) in
            try get(StoreKey.waiting, key).flatMap { DueTime($0) }
        }
    }

    /// Calls `body` with the waiting messages, in the order of times.
    private func scanDue(
        from start: [UInt8], of identity: UInt64, _ body: (WaitingMessage) throws(CrosstieError) -> ScanStep
    ) throws(CrosstieError) {
        try scan(StoreKey.due, from: start) { key, record throws(CrosstieError) in
            guard WaitingKey.identity(key) == identity else { return .stop }
            guard let waiting = WaitingMessage(key: key, record) else { throw StoreTransaction.damagedWaiting }
            return try body(waiting)
        }
    }

    private static var damagedWaiting: CrosstieError {
        CrosstieError(.corruptData, "what waits for a durable consumer's next try is damaged")
    }
}
