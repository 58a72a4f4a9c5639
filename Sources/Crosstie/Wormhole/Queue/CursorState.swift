/// What the listeners of a durable name have been given. Whatever is up to ``next`` and not outstanding is done.
struct CursorState: Equatable {
    /// Tells it from an earlier cursor of the same name and topic.
    let identity: UInt64
    /// Everything up to this number has been looked at.
    private(set) var next: UInt64
    /// Messages that were dropped before anybody was given them, until somebody has been told.
    private(set) var missed: UInt64 = 0
    /// The opening whose listener is being told of those that were missed; ``nobody`` while none is.
    private(set) var missedOwner: UInt64 = nobody
    /// What has been given out and is not done, by sequence.
    private(set) var outstanding: [Delivery] = []

    static var maximumOutstanding: Int { 1024 }

    /// A message that was given to somebody, or is to be given to somebody again.
    struct Delivery: Equatable {
        let sequence: UInt64
        /// How often it has been given to a listener.
        var attempts: UInt32
        /// The opening whose listener has it; ``nobody``: it waits to be given out again.
        var owner: UInt64
        /// When that may be, by the clock of ``Clock/now()``.
        var notBefore: UInt64 = 0
    }

    static var nobody: UInt64 { 0 }

    init(
        identity: UInt64, next: UInt64, missed: UInt64 = 0, missedOwner: UInt64 = nobody, outstanding: [Delivery] = []
    ) {
        self.identity = identity
        self.next = next
        self.missed = missed
        self.missedOwner = missedOwner
        self.outstanding = outstanding
    }

    var isFull: Bool { outstanding.count >= CursorState.maximumOutstanding }

    /// Messages below this number are of no use to the name any more.
    var floor: UInt64 { min(outstanding.first?.sequence ?? .max, next &+ 1) }

    /// Whether a message that matches the topic is still to be told, or may have to be told again.
    func needs(_ sequence: UInt64) -> Bool { sequence > next || index(of: sequence) != nil }

    /// When the next message has to be given out again; the largest number if none has to.
    var earliestDue: UInt64 {
        outstanding.lazy.filter { $0.owner == CursorState.nobody }.map(\.notBefore).min() ?? .max
    }

    // MARK: Giving out

    /// Gives out a message that nobody has had. False if there is no room, or if somebody has had it.
    mutating func claim(_ sequence: UInt64, by owner: UInt64) -> Bool {
        guard sequence > next, !isFull else { return false }
        next = sequence
        outstanding.append(Delivery(sequence: sequence, attempts: 1, owner: owner))
        return true
    }

    /// Gives out, once more, messages whose time has come, the oldest first.
    mutating func claimDue(at now: UInt64, by owner: UInt64, limit: Int) -> [Delivery] {
        var claimed: [Delivery] = []
        for index in outstanding.indices where claimed.count < limit {
            guard outstanding[index].owner == CursorState.nobody, outstanding[index].notBefore <= now else { continue }
            outstanding[index].owner = owner
            if outstanding[index].attempts < .max { outstanding[index].attempts += 1 }
            claimed.append(outstanding[index])
        }
        return claimed
    }

    /// Notes that nothing up to a number is for the name, beside what has been given out.
    mutating func pass(to sequence: UInt64) { next = max(next, sequence) }

    /// Whether an owner, who is telling of none, is to tell of messages that were missed.
    func hasUntold(for owner: UInt64) -> Bool {
        missed > 0 && (missedOwner == CursorState.nobody || missedOwner == owner)
    }

    /// The owners of what is outstanding, or being told.
    var owners: Set<UInt64> { Set(outstanding.map(\.owner) + [missedOwner]).subtracting([CursorState.nobody]) }

    // MARK: Taking back

    /// Takes what became of messages that an owner had. What is not the owner's is left alone. True if something is to
    /// be given out again.
    mutating func settle(_ answers: [Answer], of owner: UInt64) -> Bool {
        var hasGivenBack = false
        // Most come in the order of their numbers.
        var next = 0
        for answer in answers where owner != CursorState.nobody {
            if case .missed(let told) = answer.outcome {
                settleMissed(told, of: owner)
                continue
            }
            let isNext = next < outstanding.count && outstanding[next].sequence == answer.sequence
            guard let index = isNext ? next : index(of: answer.sequence), outstanding[index].owner == owner
            else { continue }
            next = index + 1
            switch answer.outcome {
            case .acknowledged: outstanding[index].owner = CursorState.done
            case .gone(let isMissed):
                outstanding[index].owner = CursorState.done
                if isMissed { missed &+= 1 }
            case .missed: break
            case .rejected(let notBefore):
                giveBack(index, notBefore: notBefore)
                hasGivenBack = true
            case .unheard:
                giveBack(index, notBefore: 0)
                if outstanding[index].attempts > 0 { outstanding[index].attempts -= 1 }
                hasGivenBack = true
            }
        }
        outstanding.removeAll { $0.owner == CursorState.done }
        return hasGivenBack
    }

    /// Stands for the owner of what is about to be removed, so that many are removed in one pass.
    static var done: UInt64 { .max }

    /// Frees what owners have that are no more. True if there was something.
    @discardableResult
    mutating func free(where isGone: (UInt64) -> Bool) -> Bool {
        var known: [UInt64: Bool] = [CursorState.nobody: false]
        var hasFreed = false
        for index in outstanding.indices {
            let owner = outstanding[index].owner
            let isFree = known[owner] ?? isGone(owner)
            known[owner] = isFree
            guard isFree else { continue }
            giveBack(index, notBefore: 0)
            hasFreed = true
        }
        if known[missedOwner] ?? isGone(missedOwner) {
            missedOwner = CursorState.nobody
            hasFreed = true
        }
        return hasFreed
    }

    private mutating func giveBack(_ index: Int, notBefore: UInt64) {
        outstanding[index].owner = CursorState.nobody
        outstanding[index].notBefore = notBefore
    }

    // MARK: Losing

    /// Notes that a message which matches the topic has been dropped, the oldest of all. One that has been given out
    /// is not missed until it would have to be given out again.
    mutating func drop(_ sequence: UInt64) {
        guard sequence > next else { return }
        next = sequence
        missed &+= 1
    }

    /// How many have been missed that nobody else is being told of. An owner, who is telling of none, is told of them
    /// from here on.
    mutating func claimMissed(by owner: UInt64) -> UInt64 {
        guard hasUntold(for: owner) else { return 0 }
        missedOwner = owner
        return missed
    }

    /// Takes that an owner has been told of some, or of none.
    private mutating func settleMissed(_ told: UInt64, of owner: UInt64) {
        guard missedOwner == owner else { return }
        missed -= min(told, missed)
        missedOwner = CursorState.nobody
    }

    private func index(of sequence: UInt64) -> Int? {
        var (low, high) = (0, outstanding.count)
        while low < high {
            let middle = (low + high) / 2
            if outstanding[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < outstanding.count && outstanding[low].sequence == sequence ? low : nil
    }
}

/// What became of a message that a listener was given.
struct Answer {
    let sequence: UInt64
    let outcome: Outcome

    enum Outcome: Equatable {
        case acknowledged
        /// To be given out again, at this time or later.
        case rejected(notBefore: UInt64)
        /// It was given out and not told.
        case unheard
        /// It could not be told, since it is there no more: because somebody destroyed it, or the log was too long.
        case gone(isMissed: Bool)
        /// No message, but what was missed: so many have been told of.
        case missed(told: UInt64)
    }

    /// How long a message rests that was rejected without a word about when: 100 ms after the first time it was given
    /// out, twice as long after each further one, at most a minute.
    static func pause(afterAttempts attempts: UInt32) -> UInt64 {
        min(100_000_000 << UInt64(min(max(attempts, 1) - 1, 10)), 60_000_000_000)
    }
}
