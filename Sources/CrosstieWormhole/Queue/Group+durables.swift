/// The list of durable consumers, and how far each is behind.
extension Group {
    /// In the order of names. The cost of one does not depend on the number of messages.
    func durables() throws(CrosstieError) -> [Wormhole.Durable] {
        try read { snapshot throws(CrosstieError) in
            var found: [Wormhole.Durable] = []
            for key in try snapshot.cursorKeys() { found.append(try durable(key, in: snapshot)) }
            return found
        }
    }

    private func durable(
        _ key: CursorKey, in snapshot: borrowing StoreTransaction
    ) throws(CrosstieError) -> Wormhole.Durable {
        var durable = Wormhole.Durable(
            name: String(decoding: key.name, as: UTF8.self),
            identifier: String(decoding: key.topic.text, as: UTF8.self),
            options: try snapshot.durableOptions(key))
        do throws(CrosstieError) {
            guard let cursor = try snapshot.cursor(key, boot: boot) else { return durable }
            try fill(&durable, from: cursor, of: key.topic, in: snapshot)
        } catch {
            guard error.status == .corruptData else { throw error }
            durable.isDamaged = true
        }
        return durable
    }

    private func fill(
        _ durable: inout Wormhole.Durable, from cursor: CursorState, of topic: Topic,
        in snapshot: borrowing StoreTransaction
    ) throws(CrosstieError) {
        durable.deliveries = cursor.tally.deliveries
        durable.dead = cursor.tally.deadCount
        durable.listened = min(cursor.tally.boundAt, WallClock.now())
        durable.missed = cursor.missed
        durable.position = cursor.next
        durable.retrying = cursor.waitingCount
        let undelivered = try snapshot.logged(topic, try snapshot.meta()).since(cursor.tally.taken)
        durable.inHand = holders(of: cursor)
        let left = cursor.outstanding.count - durable.inHand.reduce(0) { $0 + $1.count }
        durable.waiting = undelivered.index &+ UInt64(clamping: left)
        durable.waitingSize = undelivered.total
        if undelivered.index > 0 { durable.oldest = try oldest(of: topic, after: cursor.next, in: snapshot) }
        if cursor.waitingCount > 0 { durable.nextRetry = try nextRetry(of: cursor, in: snapshot) }
    }

    /// The living members with messages.
    private func holders(of cursor: CursorState) -> [Wormhole.Durable.Holder] {
        var positions: [UInt64: Int?] = [CursorState.nobody: nil]
        var found: [Wormhole.Durable.Holder] = []
        for delivery in cursor.outstanding {
            if let known = positions[delivery.owner] {
                guard let position = known else { continue }
                found[position].count += 1
                found[position].since = min(found[position].since, delivery.since)
                continue
            }
            guard isThere(delivery.owner), let member = wakeups.member(Int(delivery.owner & 0xFF)) else {
                positions[delivery.owner] = .some(nil)
                continue
            }
            positions[delivery.owner] = found.count
            found.append(
                Wormhole.Durable.Holder(
                    pid: member.process.pid, name: member.name, count: 1, since: delivery.since))
        }
        return found
    }

    private func nextRetry(
        of cursor: CursorState, in snapshot: borrowing StoreTransaction
    ) throws(CrosstieError) -> Int64? {
        guard let due = try snapshot.firstDue(of: cursor) else { return nil }
        let pause = Int64(clamping: due) &- Int64(clamping: Clock.now())
        let (time, isTooLate) = WallClock.now().addingReportingOverflow(max(pause, 0))
        return isTooLate ? .max : time
    }

    /// The time at which the first queued message of a topic after a number was sent; nil for none. Only some messages
    /// of others in between are examined: beyond that it is the time of the last examined one.
    private func oldest(
        of topic: Topic, after number: UInt64, in snapshot: borrowing StoreTransaction
    ) throws(CrosstieError) -> Int64? {
        var look = OldestLook(topic: topic)
        try look.read(snapshot, after: number, upTo: .max)
        guard !look.isOver, hostMembers == nil, !topic.isPrefix else { return look.time }
        // The wakeups know roughly where an identifier's messages are.
        var after = look.reached
        let end = try snapshot.meta().sequence(ofState: snapshot.number) &+ 1
        for _ in 0..<256 {
            guard let stretch = wakeups.nextQueued(after: after, below: end, hash: topic.hash) else { break }
            try look.read(snapshot, after: stretch.first &- 1, upTo: stretch.last)
            if look.isOver { break }
            after = stretch.last
        }
        return look.time
    }
}

extension StoreTransaction {
    /// The durable consumers. Malformed records are skipped.
    func cursorKeys() throws(CrosstieError) -> [CursorKey] {
        var keys: [CursorKey] = []
        try scan(StoreKey.cursor) { bytes, _ in
            if let key = CursorKey(stored: bytes) { keys.append(key) }
            return .next
        }
        return keys
    }
}
