import Synchronization

/// Queue delivery under a durable consumer: messages are claimed from the cursor that the name's listeners share.
final class DurableFeed: Feed {
    private let key: CursorKey
    private let group: Group
    private let memberSlot: MemberSlot
    private var owner: UInt64 { memberSlot.memberID }
    private let options: ListenOptions
    private let timeout: UInt64
    /// The time that it waits for a stopped process while others may wait for it.
    private let patience: UInt64
    private let reporters: MissedReporters
    private var nudge: () -> Void = {}
    private let box: AnswerBox
    private var identity: UInt64 = 0
    /// The member that the listener is recorded for, with a consumer that expires.
    private var entered: UInt64?
    private var takenIn: UInt64
    /// Answers that could not be stored yet.
    private var answers: [Answer] = []
    /// Whether those could not be since the store is full.
    private var lacksRoom = false
    /// Removed messages that the listener has yet to be notified of, or is being notified of.
    private var missed: (count: UInt64, upTo: UInt64) = (0, 0)
    private var size: BatchSize
    private var quiet = Group.QuietStretch()
    /// The time of the next look for dead members.
    private var nextLook: UInt64 = 0
    private let nextTime = Atomic(UInt64.max)

    init(
        _ key: CursorKey, of group: Group, memberSlot: MemberSlot, reporters: MissedReporters = MissedReporters(),
        options: ListenOptions, timeout: UInt64
    ) {
        self.reporters = reporters
        self.key = key
        self.group = group
        self.memberSlot = memberSlot
        self.options = options
        self.timeout = timeout
        box = AnswerBox(acknowledges: !options.isManual)
        patience = min(timeout, 1_000_000_000)
        size = BatchSize(options)
        takenIn = group.takenInCount.load(ordering: .relaxed)
    }

    /// The time that an answer may wait for others.
    private static var answerTime: UInt64 { 1_000_000 }

    /// The same in a store that is full.
    private static var fullTime: UInt64 { 100_000_000 }

    var isTimed: Bool { true }

    var isQueue: Bool { true }

    var wakeTime: UInt64 { nextTime.load(ordering: .relaxed) }

    func connect(nudge: @escaping () -> Void) {
        self.nudge = nudge
        box.connect(nudge: nudge)
    }

    func start() throws(CrosstieError) { try open(from: options.start) }

    private func open(from start: QueueStart) throws(CrosstieError) {
        // Another process may find in between that it has expired.
        for _ in 0..<4 {
            identity = try group.openCursor(key, from: start, timeout: timeout)
            if enter() { return }
        }
    }

    /// Says that it listens, to a name that expires. Where that cannot be stored it is tried again with the next look.
    /// False if the cursor is another one by now.
    private func enter() -> Bool {
        let owner = owner
        do throws(CrosstieError) {
            let entry = try group.enterListening(key, identity, by: owner, timeout: patience)
            if entry == .made { entered = owner }
            return entry != .late
        } catch {
            return true
        }
    }

    func didDeliver(_ message: Message) {
        if message.kind == .missed { reconcileMissed(reported: missed.count) }
        box.didDeliver(message)
        size.didDeliver()
    }

    /// If it fails, other listeners get the claimed messages when the wormhole closes.
    func end() {
        defer { nudge = {} }
        answers += box.end()
        defer { if let entered { group.leaveListening(key, identity, by: entered, timeout: timeout) } }
        if missed.count > 0 { reconcileMissed(reported: 0) }
        if !answers.isEmpty, (try? claim(request(limit: 0), timeout: timeout)) == nil { return }
        if !answers.isEmpty { leaveRejected() }
        reporters.end(key, self)
    }

    /// A full store has no room for redelivery pauses: other listeners get rejected messages at once.
    private func leaveRejected() {
        answers = answers.map { Answer(sequence: $0.sequence, since: $0.since, outcome: .left) }
        _ = try? claim(request(limit: 0), timeout: timeout)
    }

    private func reconcileMissed(reported count: UInt64) {
        answers.append(Answer(sequence: 0, outcome: .missed(reported: count)))
        missed = (0, 0)
    }

    // MARK: Collecting

    func collect(into batch: inout Batch) throws(CrosstieError) {
        answers += box.take()
        if group.isTakenIn(since: &takenIn) { try beginAnew() }
        let limit = size.limit(open: box.count)
        let claim = try claim(limit)
        add(try read(claim.deliveries), to: &batch)
        let isFull = limit > 0 && claim.deliveries.count == limit
        batch.hasMore = claim.hasMore && limit > 0 || isFull
        size.begin(batch.messages.count, isFull: isFull)
        var time = limit > 0 && !claim.isForgotten ? min(claim.earliestDue, nextLook) : .max
        // It was tried in vain to store something.
        if lacksRoom { time = max(time, Clock.now() &+ DurableFeed.fullTime) }
        // Answers up to then are stored with the next claim, or without one.
        if !batch.messages.isEmpty { time = min(time, Clock.now() &+ DurableFeed.answerTime) }
        if !answers.isEmpty {
            time = min(time, Clock.now() &+ (lacksRoom ? DurableFeed.fullTime : DurableFeed.answerTime))
        }
        nextTime.store(time, ordering: .relaxed)
    }

    /// Another group has taken this one in, where its durable consumers have got everything once more.
    private func beginAnew() throws(CrosstieError) {
        try open(from: .next)
        answers = []
        quiet = Group.QuietStretch()
        missed = (0, 0)
        reporters.end(key, self)
    }

    private func add(_ messages: [Message], to batch: inout Batch) {
        if missed.count > 0 {
            let notice = key.topic.text.withUnsafeBytes { Message(missed: missed.count, upTo: missed.upTo, under: $0) }
            notice.answerBox = box
            batch.add(notice, size: 0)
        }
        batch.add(messages)
        box.give(batch.messages)
    }

    /// Claims what there is. Only when there may be something, others are kept from writing meanwhile.
    private func claim(_ limit: Int) throws(CrosstieError) -> Claim {
        let now = Clock.now()
        let isLookDue = now >= nextLook
        var freesTheDead = false
        if answers.isEmpty || isLookDue {
            if limit == 0, answers.isEmpty { return Claim() }
            let look = try group.look(key, identity: identity, owner: owner, quiet: quiet, namesOwners: isLookDue)
            quiet = look.quiet
            if look.lacksEntry { _ = enter() }
            if isLookDue {
                freesTheDead = try group.hasEnded(anyOf: look.owners, timeout: patience)
                nextLook = (now / 1_000_000_000 &+ 1) &* 1_000_000_000
            }
            guard look.hasSomething || freesTheDead || !answers.isEmpty else {
                return Claim(earliestDue: look.earliestDue, isForgotten: look.isForgotten)
            }
        }
        let mayReport = missed.count == 0 && reporters.mayReport(key, self, nudge: nudge)
        let claim = try claim(
            request(limit: limit, freesTheDead: freesTheDead, reportsMissed: mayReport), timeout: patience)
        if claim.missed > 0 { missed = (claim.missed, claim.missedUpTo) }
        if missed.count == 0 { reporters.end(key, self) }
        return claim
    }

    /// Stores the answers, and claims. Where a full store has no room for what was rejected, or is to be a dead letter, the
    /// rest is stored, which makes some; the listener keeps what it rejected until then.
    private func claim(_ request: ClaimRequest, timeout: UInt64) throws(CrosstieError) -> Claim {
        do throws(CrosstieError) {
            let claim = try certain(try group.claim(request, timeout: timeout))
            (answers, lacksRoom) = ([], false)
            return claim
        } catch {
            if error.status == .limitExceeded { return try claimFewer(request, timeout: timeout, after: error) }
            guard error.isForRoom else { throw error }
            var lesser = request
            let failures = lesser.keepFailures(0)
            let claim = try certain(try group.claim(lesser, timeout: timeout))
            (answers, lacksRoom) = (failures, true)
            return claim
        }
    }

    /// The same for a step that is larger than a host's transport takes: with a few failures, and again half of those.
    private func claimFewer(
        _ request: ClaimRequest, timeout: UInt64, after failure: CrosstieError
    ) throws(CrosstieError) -> Claim {
        var count = 64
        while count > 0 {
            count /= 2
            var lesser = request
            let rest = lesser.keepFailures(count)
            do throws(CrosstieError) {
                let claim = try certain(try group.claim(lesser, timeout: timeout))
                (answers, lacksRoom) = (rest, count == 0)
                return claim
            } catch {
                guard error.status == .limitExceeded else { throw error }
            }
        }
        throw failure
    }

    /// Throws for a claim of which it is not known whether it has been made. The messages that may have been claimed are given
    /// back with the next one, and the answers are stored once more; neither does anything where it has been done.
    private func certain(_ claim: Claim) throws(CrosstieError) -> Claim {
        guard let uncertainty = claim.uncertainty else { return claim }
        let claimed = Set(claim.deliveries.map(\.sequence))
        answers.removeAll { $0.outcome == .undelivered && claimed.contains($0.sequence) }
        answers += claim.deliveries.map { Answer(sequence: $0.sequence, since: $0.since, outcome: .undelivered) }
        if claim.missed > 0 { answers.append(Answer(sequence: 0, outcome: .missed(reported: 0))) }
        throw uncertainty
    }

    private func request(limit: Int, freesTheDead: Bool = false, reportsMissed: Bool = false) -> ClaimRequest {
        ClaimRequest(
            key: key, identity: identity, owner: owner, answers: answers, limit: limit, freesTheDead: freesTheDead,
            quiet: quiet, reportsMissed: reportsMissed)
    }

    /// Reads the claimed messages, while others may write. Answers for removed ones.
    private func read(_ deliveries: [CursorState.Delivery]) throws(CrosstieError) -> [Message] {
        guard !deliveries.isEmpty else { return [] }
        do throws(CrosstieError) {
            let found = try group.read { snapshot throws(CrosstieError) in
                try snapshot.read(deliveries, for: key.topic, box: box)
            }
            answers += found.removed
            return found.messages
        } catch {
            answers += deliveries.map { Answer(sequence: $0.sequence, since: $0.since, outcome: .undelivered) }
            throw error
        }
    }
}
