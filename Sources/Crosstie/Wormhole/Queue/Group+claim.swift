/// What a listener of a durable name stores and asks for in one step.
struct ClaimRequest {
    let key: CursorKey
    /// Of the cursor that the listener was bound to.
    let identity: UInt64
    let owner: UInt64
    /// What became of messages that it had.
    var answers: [Answer]
    /// How many messages it takes.
    let limit: Int
    /// Whether what the dead have is to be freed.
    let freesTheDead: Bool
    /// What is known to hold nothing for the name.
    let quiet: QuietStretch
    /// Whether the listener, which is telling of none, takes over telling of messages that were missed.
    let tellsMissed: Bool

    /// Bytes that it adds to the store; nil if it only makes room.
    fileprivate var room: Int? {
        let count = answers.count { $0.needsRoom }
        return count > 0 ? count * WaitingMessage.footprint : nil
    }
}

/// What came of it.
struct Claim {
    /// In the order of their numbers.
    var deliveries: [CursorState.Delivery] = []
    /// How many messages are gone that nobody was given.
    var missed: UInt64 = 0
    /// The number up to which they were.
    var missedUpTo: UInt64 = 0
    var hasMore = false
    /// When a message has to be given out again; the largest number if none has to.
    var earliestDue = UInt64.max
    /// Whether the cursor has been forgotten.
    var isForgotten = false
}

/// Numbers above one and up to another, of which none matches a topic.
struct QuietStretch {
    var after: UInt64 = 0
    var upTo: UInt64 = 0

    /// Where to look on who has looked up to a number.
    func skipped(from next: UInt64) -> UInt64 { next >= after ? max(next, upTo) : next }
}

extension Group {
    /// Stores what became of messages, and gives out the next ones: in one transaction.
    func claim(_ request: ClaimRequest, timeout: UInt64) throws(CrosstieError) -> Claim {
        var claim = Claim()
        var hasGivenBack = false
        var hasMadeRoom = false
        _ = try transact(
            count: 0, timeout: timeout, room: request.room, identifier: { _ in nil },
            listeners: {
                if hasMadeRoom { bells.tellOfRoom() }
                return hasGivenBack ? sharers(of: request.key.topic) : SlotMask()
            }
        ) { transaction, next throws(CrosstieError) in
            claim = Claim()
            hasGivenBack = false
            hasMadeRoom = false
            guard var cursor = try transaction.cursor(request.key, boot: boot), cursor.identity == request.identity
            else {
                claim.isForgotten = true
                return
            }
            let before = cursor
            var waiting: [WaitingMessage] = []
            hasGivenBack = cursor.settle(request.answers, of: request.owner, waiting: &waiting)
            for message in waiting { try transaction.put(message, of: cursor.shelf) }
            if request.freesTheDead, cursor.free(where: { !isAlive(owner: $0) }) { hasGivenBack = true }
            try transaction.claim(request, from: &cursor, newest: next &- 1, &claim)
            claim.earliestDue = try transaction.nextDue(of: cursor)
            // Others may have found no room for what they would claim.
            if before.isFull, !cursor.isFull { hasGivenBack = true }
            if cursor.missed > 0, cursor.missedOwner == CursorState.nobody { hasGivenBack = true }
            hasMadeRoom = cursor.tally.taken != before.tally.taken
            if cursor != before {
                cursor.tally.boundAt = WallClock.now()
                try transaction.put(cursor, request.key, boot: boot)
            }
            if cursor.floor > before.floor {
                try trimIfDue(transaction, heard: request.answers.count, newest: next &- 1)
            }
        }
        return claim
    }

    /// Who shares the messages of a topic's durable names, and a few more; told to look when they next wake up. After
    /// the commit.
    func sharers(of topic: Topic) -> SlotMask {
        bells.givenBack.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return bells.mask(Bells.bucketOffset(topic.hash))
    }
}

extension StoreTransaction {
    /// Gives out what others have left; then what is due for its next try, and what nobody has had. Of these two, when
    /// there is much of both, each gets half: a message that fails again and again keeps no other one waiting.
    fileprivate func claim(
        _ request: ClaimRequest, from cursor: inout CursorState, newest: UInt64, _ claim: inout Claim
    ) throws(CrosstieError) {
        guard request.limit > 0 else { return }
        claim.missedUpTo = cursor.next
        let time = WallClock.now()
        claim.deliveries = cursor.claimGivenBack(by: request.owner, limit: request.limit, at: time)
        let now = Clock.now()
        let limit = min(request.limit - claim.deliveries.count, cursor.room)
        let half = cursor.isTurnOfNew ? limit / 2 : limit - limit / 2
        var due = try claimDue(from: &cursor, at: now, by: request.owner, limit: half)
        claim.deliveries += due
        let newCount = try claimNew(request, from: &cursor, newest: newest, &claim)
        // What was found to have expired is among it.
        if request.tellsMissed { claim.missed = cursor.claimMissed(by: request.owner) }
        if due.count == half {
            let more = try claimDue(from: &cursor, at: now, by: request.owner, limit: limit - half - newCount)
            claim.deliveries += more
            due += more
        }
        if due.isEmpty, newCount == 0 { return }
        cursor.isTurnOfNew = due.count > newCount
        if !due.isEmpty { claim.deliveries.sort { $0.sequence < $1.sequence } }
    }

    /// Gives out what nobody has had, and tells how many messages those are.
    private func claimNew(
        _ request: ClaimRequest, from cursor: inout CursorState, newest: UInt64, _ claim: inout Claim
    ) throws(CrosstieError) -> Int {
        cursor.pass(to: request.quiet.skipped(from: cursor.next))
        let countBefore = claim.deliveries.count
        var reach = ClaimReach()
        var end = newest
        let time = WallClock.now()
        try scanLog(after: cursor.next) { sequence, record throws(CrosstieError) in
            guard reach.isWithin, claim.deliveries.count < request.limit, !cursor.isFull else {
                claim.hasMore = true
                end = sequence &- 1
                return .stop
            }
            if let record, record.hasExpired, request.key.topic.covers(record) {
                cursor.drop(sequence, size: record.payload.count)
                reach.skippedCount += 1
                return .next
            }
            guard let record, request.key.topic.covers(record),
                cursor.claim(sequence, size: record.payload.count, by: request.owner, at: time)
            else {
                reach.skippedCount += 1
                return .next
            }
            reach.size += record.payload.count
            claim.deliveries.append(CursorState.Delivery(sequence: sequence, attempts: 1, owner: request.owner))
            return .next
        }
        cursor.pass(to: end)
        return claim.deliveries.count - countBefore
    }
}

/// How far one claim reads in the log, while everybody else waits.
private struct ClaimReach {
    var size = 0
    var skippedCount = 0

    var isWithin: Bool { size < 4 << 20 && skippedCount < 1024 }
}
