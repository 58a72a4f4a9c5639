extension Group {
    /// A range of numbers of which no message matches a topic.
    struct QuietStretch {
        var after: UInt64 = 0
        var upTo: UInt64 = 0

        /// The number at which a consumer that has looked up to a number continues.
        func skipped(from next: UInt64) -> UInt64 { next >= after ? max(next, upTo) : next }
    }
}

extension Group {
    /// Stores answers, and claims the next messages: in one transaction.
    ///
    /// - Returns: after an *uncertain* answer of a host's transport what may have been claimed, with the error.
    func claim(_ request: ClaimRequest, timeout: UInt64) throws(CrosstieError) -> Claim {
        var claim = Claim()
        do throws(CrosstieError) {
            try makeClaim(request, timeout: timeout, &claim)
        } catch {
            guard error.status == .uncertain else { throw error }
            claim.uncertainty = error
        }
        return claim
    }

    private func makeClaim(_ request: ClaimRequest, timeout: UInt64, _ claim: inout Claim) throws(CrosstieError) {
        var hasGivenBack = false
        var hasMadeRoom = false
        var forwarded: [ForwardedDeadLetter] = []
        defer { withExtendedLifetime(forwarded) {} }
        let forDeadLetters = try roomForDeadLetters(request)
        _ = try transact(
            count: forwarded.count, timeout: timeout,
            room: forDeadLetters > 0 ? forDeadLetters + (request.room ?? 0) : request.room,
            identifier: { forwarded[$0].change.identifier },
            listeners: {
                if hasMadeRoom { wakeups.notifyRoom() }
                var mask = hasGivenBack ? sharers(of: request.key.topic) : MemberMask()
                for item in forwarded { item.change.identifier.map { mask.formUnion(wakeups.listeners(of: $0)) } }
                return mask
            }
        ) { transaction, next throws(CrosstieError) in
            claim = Claim()
            hasGivenBack = false
            hasMadeRoom = false
            forwarded = []
            guard var cursor = try transaction.cursor(request.key, boot: boot), cursor.identity == request.identity
            else {
                claim.isForgotten = true
                return
            }
            let before = cursor
            let options = try transaction.optionsOfFailures(request, cursor)
            var failed = CursorState.Failed()
            hasGivenBack = cursor.reconcile(request.answers, of: request.owner, options, &failed)
            for message in failed.waiting { try transaction.put(message, of: cursor.shelf) }
            if request.freesTheDead, cursor.free(where: { !isAlive(owner: $0) }) { hasGivenBack = true }
            if request.makesDeadLetters { failed.dead += cursor.takeLost(options, most: request.mostLost) }
            if !failed.dead.isEmpty {
                forwarded = try addDeadLetters(
                    failed.dead, of: &cursor, request.key, options, first: next, in: transaction)
            }
            let newest = next &- 1 &+ UInt64(forwarded.count)
            try transaction.claim(request, options, from: &cursor, newest: newest, &claim)
            claim.earliestDue = try transaction.nextDue(of: cursor)
            // Other members may have found no room for further claims.
            if before.isFull, !cursor.isFull { hasGivenBack = true }
            if cursor.missed > 0, cursor.missedOwner == CursorState.nobody { hasGivenBack = true }
            hasMadeRoom = cursor.tally.taken != before.tally.taken
            if cursor != before {
                cursor.tally.boundAt = WallClock.now()
                try transaction.put(cursor, request.key, boot: boot)
            }
            if cursor.floor > before.floor {
                try trimIfDue(transaction, consumed: request.answers.count, newest: newest)
            }
        }
    }

    /// The members that share the messages of a topic's durable consumers, and a few more; they look when they next
    /// wake up. After the commit.
    func sharers(of topic: Topic) -> MemberMask {
        wakeups.givenBack.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return wakeups.mask(Wakeups.bucketOffset(topic.hash))
    }
}

extension StoreTransaction {
    /// The consumer's options, if some of its messages have failed; else the defaults.
    fileprivate func optionsOfFailures(
        _ request: ClaimRequest, _ cursor: CursorState
    ) throws(CrosstieError) -> DurableOptions {
        let mayHaveFailed =
            request.freesTheDead || cursor.hasGivenBack || request.answers.contains(where: \.isFailure)
        return mayHaveFailed ? try durableOptions(request.key) : DurableOptions()
    }

    /// Claims freed messages, then messages due for redelivery, and new ones. If there are many of both, each of these
    /// two gets half: a message that fails again and again keeps no other one waiting.
    fileprivate func claim(
        _ request: ClaimRequest, _ options: DurableOptions, from cursor: inout CursorState, newest: UInt64,
        _ claim: inout Claim
    ) throws(CrosstieError) {
        guard request.limit > 0 else { return }
        claim.missedUpTo = cursor.next
        let time = WallClock.now()
        claim.deliveries = cursor.claimGivenBack(
            by: request.owner, limit: request.limit, at: time, isEnough: options.areEnough)
        let left = min(request.limit - claim.deliveries.count, cursor.room)
        let retried = try claimRetried(from: &cursor, by: request.owner, limit: left)
        claim.deliveries += retried
        let now = Clock.now()
        let limit = min(request.limit - claim.deliveries.count, cursor.room)
        let half = cursor.isTurnOfNew ? limit / 2 : limit - limit / 2
        var due = try claimDue(from: &cursor, at: now, by: request.owner, limit: half)
        claim.deliveries += due
        let newCount = try claimNew(request, from: &cursor, newest: newest, &claim)
        // Includes messages that turned out to have expired.
        if request.reportsMissed { claim.missed = cursor.claimMissed(by: request.owner) }
        if due.count == half {
            let more = try claimDue(from: &cursor, at: now, by: request.owner, limit: limit - half - newCount)
            claim.deliveries += more
            due += more
        }
        if !due.isEmpty || !retried.isEmpty { claim.deliveries.sort { $0.sequence < $1.sequence } }
        if due.isEmpty, newCount == 0 { return }
        cursor.isTurnOfNew = due.count > newCount
    }

    /// Claims new messages, and returns their number.
    private func claimNew(
        _ request: ClaimRequest, from cursor: inout CursorState, newest: UInt64, _ claim: inout Claim
    ) throws(CrosstieError) -> Int {
        cursor.advance(to: request.quiet.skipped(from: cursor.next))
        let countBefore = claim.deliveries.count
        var reach = ClaimReach()
        var end = newest
        // A name on a prefix may cover the identifier of its dead letters.
        let options = request.key.topic.isPrefix ? try durableOptions(request.key) : DurableOptions()
        let time = WallClock.now()
        // A consumer that was moved back reaches its dead letters again.
        var dead = WaitingReader(of: cursor, type: StoreKey.deadLetter)
        try scanLog(after: cursor.next) { sequence, record throws(CrosstieError) in
            guard reach.isWithin, claim.deliveries.count < request.limit, !cursor.isFull else {
                claim.hasMore = true
                end = sequence &- 1
                return .stop
            }
            guard let record, request.key.topic.covers(record) else {
                reach.skippedCount += 1
                return .next
            }
            let size = record.payload.count
            var isGiven = false
            if options.isOfDeadLetters(record.identifier) {
                cursor.tally.take(1, size: size)
            } else if try !dead.contains(sequence, in: self) {
                if record.hasExpired {
                    cursor.drop(sequence, size: size)
                } else {
                    isGiven = cursor.claim(sequence, size: size, by: request.owner, at: time)
                }
            }
            guard isGiven else {
                reach.skippedCount += 1
                return .next
            }
            reach.size += size
            claim.deliveries.append(
                CursorState.Delivery(sequence: sequence, attempts: 1, owner: request.owner, since: time))
            return .next
        }
        cursor.advance(to: end)
        return claim.deliveries.count - countBefore
    }
}

extension StoreTransaction {
    /// The limit of one claim's reading in the log, while all others wait.
    fileprivate struct ClaimReach {
        var size = 0
        var skippedCount = 0

        var isWithin: Bool { size < 4 << 20 && skippedCount < 1024 }
    }
}
