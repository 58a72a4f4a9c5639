/// The deliveries of a durable consumer. A message up to ``next`` that is neither outstanding nor waiting for its
/// redelivery is done.
struct CursorState: Equatable {
    /// Distinguishes it from an earlier cursor of the same name and topic.
    let identity: UInt64
    /// Distinguishes messages that wait for a redelivery from those that waited before the consumer was moved; see
    /// ``seek(after:shelf:)``.
    private(set) var shelf: UInt64
    /// Everything up to this number has been looked at.
    private(set) var next: UInt64
    /// Messages dropped before their first delivery, until that has been reported.
    private(set) var missed: UInt64 = 0
    /// The member whose listener is getting a report of the missed ones; ``nobody`` for none.
    private(set) var missedOwner: UInt64 = nobody
    /// The messages in hand, or in hand of members that have died or left, by sequence.
    private(set) var outstanding: [Delivery] = []
    /// The number of messages that wait for their next try. They are in records of their own: ``WaitingMessage``.
    private(set) var waitingCount: UInt64 = 0
    /// Another one after each boot of the machine: messages waiting since an earlier one are due.
    private(set) var era: UInt32 = 0
    /// Whether the last claim gave out more that had waited for its next try than was new.
    var isTurnOfNew = false

    /// The counts of the consumer.
    var tally = Tally()

    static var maximumOutstanding: Int { 1024 }

    static var nobody: UInt64 { 0 }

    init(
        identity: UInt64, next: UInt64, missed: UInt64 = 0, missedOwner: UInt64 = nobody, outstanding: [Delivery] = [],
        waitingCount: UInt64 = 0, era: UInt32 = 0, isTurnOfNew: Bool = false, tally: Tally = Tally(),
        shelf: UInt64? = nil
    ) {
        self.identity = identity
        self.shelf = shelf ?? identity
        self.next = next
        self.missed = missed
        self.missedOwner = missedOwner
        self.outstanding = outstanding
        self.waitingCount = waitingCount
        self.era = era
        self.isTurnOfNew = isTurnOfNew
        self.tally = tally
    }

    // MARK: Giving out

    /// Claims a new message. False if there is no room, or if the message is not new.
    /// - Parameters:
    ///   - size: bytes of its value.
    ///   - time: now, in nanoseconds since 1970 UTC.
    mutating func claim(_ sequence: UInt64, size: Int = 0, by owner: UInt64, at time: Int64 = 0) -> Bool {
        guard sequence > next, !isFull else { return false }
        next = sequence
        outstanding.append(Delivery(sequence: sequence, attempts: 1, owner: owner, since: time))
        tally.take(1, size: size)
        tally.deliveries &+= 1
        return true
    }

    /// Claims freed messages again, the oldest first.
    /// - Parameter isEnough: whether a message with so many attempts is not delivered again.
    mutating func claimGivenBack(
        by owner: UInt64, limit: Int, at time: Int64 = 0, isEnough: (UInt32) -> Bool = { _ in false }
    ) -> [Delivery] {
        var claimed: [Delivery] = []
        for index in outstanding.indices where claimed.count < limit && outstanding[index].owner == CursorState.nobody {
            if isEnough(outstanding[index].attempts) { continue }
            outstanding[index].owner = owner
            if outstanding[index].attempts < Delivery.mostAttempts { outstanding[index].attempts += 1 }
            outstanding[index].since = time
            claimed.append(outstanding[index])
        }
        tally.deliveries &+= UInt64(claimed.count)
        return claimed
    }

    /// Claims a message whose wait has ended. Nil if there is no room, or if it cannot have waited.
    mutating func claim(_ waiting: WaitingMessage, by owner: UInt64, at time: Int64 = 0) -> Delivery? {
        let position = position(of: waiting.sequence)
        guard waitingCount > 0, !isFull, waiting.sequence > 0, waiting.sequence <= next,
            position == outstanding.count || outstanding[position].sequence != waiting.sequence
        else { return nil }
        let attempts = min(waiting.attempts, Delivery.mostAttempts - 1) + 1
        let delivery = Delivery(
            sequence: waiting.sequence, attempts: attempts, owner: owner, isRetried: waiting.attempts == 0, since: time)
        outstanding.insert(delivery, at: position)
        waitingCount -= 1
        tally.deliveries &+= 1
        return delivery
    }

    /// Notes that no other message up to a number is for the consumer.
    mutating func advance(to sequence: UInt64) { next = max(next, sequence) }

    // MARK: Taking back

    /// Applies an owner's answers to its messages. Messages of other owners, or delivered again, are not changed. True
    /// if a message is to be redelivered.
    /// - Parameters:
    ///   - options: those of the consumer.
    ///   - failed: gets the messages that wait for a redelivery, and the dead letters. It has to be stored.
    mutating func reconcile(
        _ answers: [Answer], of owner: UInt64, _ options: DurableOptions = DurableOptions(), _ failed: inout Failed
    ) -> Bool {
        var hasGivenBack = false
        // Most come in the order of their numbers.
        var next = 0
        for answer in answers where owner != CursorState.nobody {
            if case .missed(let delivered) = answer.outcome {
                reconcileMissed(delivered, of: owner)
                continue
            }
            let isNext = next < outstanding.count && outstanding[next].sequence == answer.sequence
            guard let index = isNext ? next : index(of: answer.sequence), outstanding[index].owner == owner,
                outstanding[index].since == answer.since
            else { continue }
            next = index + 1
            switch answer.outcome {
            case .acknowledged: outstanding[index].owner = CursorState.done
            case .removed(let isMissed):
                outstanding[index].owner = CursorState.done
                if isMissed { missed &+= 1 }
            case .missed: break
            case .rejected(let rejection):
                let delivery = outstanding[index]
                outstanding[index].owner = CursorState.done
                if options.areEnough(delivery.attempts) {
                    failed.dead.append(Failed.Dead(delivery: delivery, reason: rejection.reason))
                } else {
                    failed.waiting.append(wait(delivery, after: rejection, options.backOff))
                    hasGivenBack = true
                }
            case .left:
                outstanding[index].owner = CursorState.nobody
                outstanding[index].isUncertain = false
                hasGivenBack = true
            case .undelivered:
                outstanding[index].owner = CursorState.nobody
                if outstanding[index].attempts > 0 { outstanding[index].attempts -= 1 }
                if tally.deliveries > 0 { tally.deliveries -= 1 }
                hasGivenBack = true
            }
        }
        outstanding.removeAll { $0.owner == CursorState.done }
        return hasGivenBack
    }

    /// The owner of messages that are about to be removed, so that one pass removes many.
    static var done: UInt64 { .max }

    /// Frees what owners have that are no more. True if there was something.
    @discardableResult
    mutating func free(where hasEnded: (UInt64) -> Bool) -> Bool {
        var known: [UInt64: Bool] = [CursorState.nobody: false]
        var hasFreed = false
        for index in outstanding.indices {
            let owner = outstanding[index].owner
            let isFree = known[owner] ?? hasEnded(owner)
            known[owner] = isFree
            guard isFree else { continue }
            outstanding[index].owner = CursorState.nobody
            outstanding[index].isUncertain = true
            hasFreed = true
        }
        if known[missedOwner] ?? hasEnded(missedOwner) {
            missedOwner = CursorState.nobody
            hasFreed = true
        }
        return hasFreed
    }

    /// Makes a message wait for its redelivery, without an owner.
    private mutating func wait(
        _ delivery: Delivery, after rejection: Answer.Rejection, _ backOff: DurableOptions.BackOff
    ) -> WaitingMessage {
        waitingCount &+= 1
        let pause = rejection.pause ?? backOff.pause(afterAttempts: delivery.attempts)
        let (clock, isTooLate) = rejection.time.addingReportingOverflow(pause)
        return WaitingMessage(
            sequence: delivery.sequence, attempts: delivery.attempts,
            due: DueTime(era: era, clock: isTooLate ? .max : clock))
    }

    /// Makes a dead letter wait for an immediate redelivery, before new messages. It has to be stored.
    mutating func retry(_ sequence: UInt64) -> WaitingMessage {
        waitingCount &+= 1
        return WaitingMessage(sequence: sequence, attempts: 0, due: DueTime(era: era, clock: 0))
    }

    /// Removes some messages without an owner that have been delivered often enough.
    mutating func takeLost(_ options: DurableOptions, most: Int) -> [Failed.Dead] {
        var lost: [Failed.Dead] = []
        outstanding.removeAll { delivery in
            guard lost.count < most, delivery.owner == CursorState.nobody, options.areEnough(delivery.attempts)
            else { return false }
            let reason = delivery.isUncertain ? "its process ended" : "its listener was removed"
            lost.append(Failed.Dead(delivery: delivery, reason: Array(reason.utf8)))
            return true
        }
        return lost
    }

    // MARK: Losing

    /// Notes that the oldest message of the topic has been dropped. One that has been delivered is not missed until its
    /// redelivery.
    mutating func drop(_ sequence: UInt64, size: Int = 0) {
        guard sequence > next else { return }
        next = sequence
        miss(1, size: size)
    }

    /// Notes that a message which matches the topic is none that it is given, the oldest of all.
    mutating func skip(_ sequence: UInt64, size: Int) {
        guard sequence > next else { return }
        next = sequence
        tally.take(1, size: size)
    }

    /// Notes that a message waiting for its redelivery has been removed. It is not missed, because it was delivered.
    mutating func loseWaiting() { if waitingCount > 0 { waitingCount -= 1 } }

    /// Notes that there is a dead letter more, or one less.
    mutating func addDead() { tally.deadCount &+= 1 }
    mutating func loseDead() { if tally.deadCount > 0 { tally.deadCount -= 1 } }

    /// Notes that messages without a delivery have been dropped, or have been destroyed from among others.
    mutating func miss(_ count: UInt64, size: Int = 0) {
        missed &+= count
        tally.take(count, size: size)
    }

    // MARK: Moving

    /// Moves the consumer: messages after a number are to be delivered as if for the first time, and those before it
    /// are done, except those in hand.
    /// - Parameters:
    ///   - taken: how much has been queued for the topic up to there.
    ///   - shelf: a number that was none before. Messages waiting for a redelivery from the old position wait no more.
    mutating func seek(after number: UInt64, taken: LogTail, shelf: UInt64) {
        next = number
        outstanding.removeAll { $0.sequence > number || $0.owner == CursorState.nobody }
        waitingCount = 0
        self.shelf = shelf
        tally.taken = taken
    }

    /// The number of missed messages that are not being reported yet. An owner without a running report reports them
    /// from here on.
    mutating func claimMissed(by owner: UInt64) -> UInt64 {
        guard hasUnreported(for: owner) else { return 0 }
        missedOwner = owner
        return missed
    }

    /// Notes that an owner has reported some, or none.
    private mutating func reconcileMissed(_ delivered: UInt64, of owner: UInt64) {
        guard missedOwner == owner else { return }
        missed -= min(delivered, missed)
        missedOwner = CursorState.nobody
    }
}
