import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// A cursor, and what waits for it in a store, against a model that remembers everything of each message by itself.
@Suite struct CursorPropertyTests {
    @Test(arguments: 0..<60)
    func behavesAsTheModel(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        let stored = StoredCursor()
        defer { stored.close() }
        var model = CursorModel()
        for _ in 0..<400 {
            try model.step(stored, using: &generator)
            try #require(try model.agrees(with: stored))
            if Int.random(in: 0..<8, using: &generator) == 0 { try stored.copy() }
        }
        try model.finish(stored)
        #expect(stored.cursor.outstanding.isEmpty && stored.cursor.waitingCount == 0 && model.isEverythingDone)
        #expect(try stored.waiting().isEmpty)
    }
}

/// A cursor with a store for what waits.
private final class StoredCursor {
    var cursor = CursorState(identity: 5, next: 0)
    private var boot: UInt64 = 1
    private let store = MemoryStore(maximumSize: 1 << 30)

    /// Others have records before and behind its own.
    init() {
        for identity: UInt64 in [4, 6] {
            let waiting = WaitingMessage(sequence: 1, attempts: 1, due: DueTime(era: 0, clock: 0))
            try? write { transaction throws(CrosstieError) in try transaction.put(waiting, of: identity) }
        }
    }

    func close() { store.close() }

    @discardableResult
    func write<Result>(
        _ body: (borrowing StoreTransaction) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        var transaction = try store.writing()
        let result = try body(transaction)
        try transaction.commit()
        return result
    }

    func reconcile(_ answers: [Answer], of owner: UInt64) throws(CrosstieError) -> Bool {
        var waiting: [WaitingMessage] = []
        let hasGivenBack = cursor.reconcile(answers, of: owner, waiting: &waiting)
        try write { transaction throws(CrosstieError) in
            for message in waiting { try transaction.put(message, of: cursor.identity) }
        }
        return hasGivenBack
    }

    func claimDue(at now: UInt64, by owner: UInt64, limit: Int) throws(CrosstieError) -> [CursorState.Delivery] {
        var copy = cursor
        let claimed = try write { transaction throws(CrosstieError) in
            try transaction.claimDue(from: &copy, at: now, by: owner, limit: limit)
        }
        cursor = copy
        return claimed
    }

    func lose(_ sequence: UInt64) throws(CrosstieError) {
        try write { transaction throws(CrosstieError) in
            try transaction.removeWaiting(sequence, of: cursor.identity)
        }
        cursor.loseWaiting()
    }

    /// The waiting messages, as a trimmer finds them.
    func waiting() throws(CrosstieError) -> [UInt64] {
        let snapshot = try store.reading()
        var found: [UInt64] = []
        while let next = try snapshot.firstWaiting(of: cursor.identity, from: (found.last ?? 0) + 1) {
            found.append(next)
        }
        return found
    }

    func nextDue() throws(CrosstieError) -> UInt64 { try store.reading().nextDue(of: cursor) }

    /// Whether each of some numbers waits, as a trimmer asks.
    func wait(_ numbers: [UInt64]) throws(CrosstieError) -> [Bool] {
        let snapshot = try store.reading()
        var reader = WaitingReader(of: cursor)
        var answers: [Bool] = []
        for number in numbers { answers.append(try reader.contains(number, in: snapshot)) }
        return answers
    }

    /// Through its record.
    func copy(afterBoot: Bool = false) throws(CrosstieError) {
        var bytes = [UInt8](repeating: 0, count: cursor.encodedSize)
        bytes.withUnsafeMutableBytes { cursor.write(into: $0, boot: boot) }
        if afterBoot { boot += 1 }
        let now = boot
        cursor = try bytes.withBytes { bytes throws(CrosstieError) in try CursorState(bytes, boot: now) }
    }
}

/// Three owners, of whom any may die at any time, a clock, boots of the machine, and what each message has come to.
private struct CursorModel {
    private enum Position: Equatable {
        case log, dropped, done, left
        case with(UInt64)
        case waiting(era: Int, time: UInt64)
    }

    private var positions: [UInt64: (position: Position, attempts: UInt32)] = [:]
    /// The messages of a dead owner.
    private var uncertain: Set<UInt64> = []
    private var newest: UInt64 = 0
    private var looked: UInt64 = 0
    private var now: UInt64 = 0
    private var era = 0
    private var undelivered: UInt64 = 0
    private var reporter: UInt64 = 0
    private static let owners: [UInt64] = [0x100, 0x200, 0x300]

    var isEverythingDone: Bool { positions.values.allSatisfy { $0.position == .done || $0.position == .dropped } }

    private func sequences(_ isMeant: (Position) -> Bool) -> [UInt64] {
        positions.filter { isMeant($0.value.position) }.keys.sorted()
    }

    /// The waiting messages with their times, in the order of redelivery.
    private var waiting: [(sequence: UInt64, era: Int, time: UInt64)] {
        let found = positions.compactMap { sequence, item -> (UInt64, Int, UInt64)? in
            if case .waiting(let era, let time) = item.position { (sequence, era, time) } else { nil }
        }
        return found.sorted { ($0.1, $0.2, $0.0) < ($1.1, $1.2, $1.0) }
    }

    mutating func step(_ stored: StoredCursor, using generator: inout SplitMix) throws {
        now += UInt64.random(in: 0..<20, using: &generator)
        guard let owner = CursorModel.owners.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<32, using: &generator) {
        case 0..<6: log(using: &generator)
        case 6..<10: claim(stored, owner)
        case 10..<13: claimGivenBack(stored, owner, limit: Int.random(in: 1..<4, using: &generator))
        case 13..<16: try claimDue(stored, owner, limit: Int.random(in: 1..<4, using: &generator))
        case 16..<22: try answer(stored, owner, using: &generator)
        case 22, 23: die(stored, owner)
        case 24: claimMissed(stored, owner)
        case 25: try reportMissed(stored, owner, UInt64.random(in: 0..<4, using: &generator))
        case 26, 27: try lose(stored, using: &generator)
        case 28: try boot(stored)
        default: drop(stored)
        }
    }

    /// Numbers leave gaps: other messages are not for this name.
    private mutating func log(using generator: inout SplitMix) {
        newest += UInt64.random(in: 1..<4, using: &generator)
        positions[newest] = (.log, 0)
    }

    private mutating func claim(_ stored: StoredCursor, _ owner: UInt64) {
        if let first = sequences({ $0 == .log }).first {
            #expect(holds(stored.cursor.claim(first, by: owner)))
            positions[first] = (.with(owner), 1)
            looked = first
        } else {
            stored.cursor.advance(to: newest)
            looked = newest
        }
    }

    private mutating func hand(_ sequences: [UInt64], to owner: UInt64) {
        for sequence in sequences { positions[sequence] = (.with(owner), (positions[sequence]?.attempts ?? 0) + 1) }
    }

    private mutating func claimGivenBack(_ stored: StoredCursor, _ owner: UInt64, limit: Int) {
        let left = Array(sequences { $0 == .left }.prefix(limit))
        #expect(stored.cursor.claimGivenBack(by: owner, limit: limit).map(\.sequence) == left)
        hand(left, to: owner)
    }

    private mutating func claimDue(_ stored: StoredCursor, _ owner: UInt64, limit: Int) throws {
        let due = Array(waiting.filter { $0.era < era || $0.time <= now }.map(\.sequence).prefix(limit))
        let claimed = try stored.claimDue(at: now, by: owner, limit: limit)
        #expect(claimed.map(\.sequence) == due)
        hand(due, to: owner)
    }

    private mutating func answer(
        _ stored: StoredCursor, _ owner: UInt64, using generator: inout SplitMix
    ) throws {
        var answers: [Answer] = []
        for (sequence, item) in positions where Bool.random(using: &generator) {
            let time = now + UInt64.random(in: 0..<40, using: &generator)
            let outcomes: [Answer.Outcome] = [
                .acknowledged, .rejected(notBefore: time), .left, .undelivered, .removed(isMissed: true),
            ]
            guard let outcome = outcomes.randomElement(using: &generator) else { continue }
            answers.append(Answer(sequence: sequence, outcome: outcome))
            guard item.position == .with(owner) else { continue }
            switch outcome {
            case .acknowledged: positions[sequence] = (.done, item.attempts)
            case .rejected(let rejection):
                positions[sequence] = (.waiting(era: era, time: rejection.time), item.attempts)
                uncertain.remove(sequence)
            case .left:
                positions[sequence] = (.left, item.attempts)
                uncertain.remove(sequence)
            case .undelivered: positions[sequence] = (.left, item.attempts - 1)
            case .removed, .missed:
                positions[sequence] = (.done, item.attempts)
                undelivered += 1
            }
        }
        _ = try stored.reconcile(answers, of: owner)
    }

    private mutating func die(_ stored: StoredCursor, _ owner: UInt64) {
        let held = sequences { $0 == .with(owner) }
        #expect(stored.cursor.free { $0 == owner } == (!held.isEmpty || reporter == owner))
        if reporter == owner { reporter = 0 }
        for sequence in held { positions[sequence]?.position = .left }
        uncertain.formUnion(held)
    }

    /// Reboots the machine: its clock restarts, and no listener has anything.
    private mutating func boot(_ stored: StoredCursor) throws {
        try stored.copy(afterBoot: true)
        now = 0
        era += 1
        reporter = 0
        let held = sequences { if case .with = $0 { true } else { false } }
        for sequence in held { positions[sequence]?.position = .left }
        uncertain.formUnion(held)
    }

    /// One owner at a time reports missed messages.
    private mutating func claimMissed(_ stored: StoredCursor, _ owner: UInt64) {
        let claimed = stored.cursor.claimMissed(by: owner)
        #expect(claimed == (reporter == 0 || reporter == owner ? undelivered : 0))
        if claimed > 0 { reporter = owner }
    }

    private mutating func reportMissed(_ stored: StoredCursor, _ owner: UInt64, _ count: UInt64) throws {
        #expect(try !stored.reconcile([Answer(sequence: 0, outcome: .missed(reported: count))], of: owner))
        guard reporter == owner else { return }
        undelivered -= min(count, undelivered)
        reporter = 0
    }

    /// One that waits is destroyed, or dropped.
    private mutating func lose(_ stored: StoredCursor, using generator: inout SplitMix) throws {
        guard let sequence = waiting.randomElement(using: &generator)?.sequence else { return }
        try stored.lose(sequence)
        positions[sequence]?.position = .done
    }

    /// The oldest that nobody has had.
    private mutating func drop(_ stored: StoredCursor) {
        guard let first = sequences({ $0 == .log }).first else { return }
        stored.cursor.drop(first)
        positions[first] = (.dropped, 0)
        looked = first
        undelivered += 1
    }

    func agrees(with stored: StoredCursor) throws -> Bool {
        let cursor = stored.cursor
        let waits = waiting.map(\.sequence).sorted()
        let expected = sequences { ![.log, .dropped, .done].contains($0) }.filter { !waits.contains($0) }
            .map { sequence in
                let item = positions[sequence] ?? (.log, 0)
                let owner: UInt64 = if case .with(let owner) = item.position { owner } else { 0 }
                return CursorState.Delivery(
                    sequence: sequence, attempts: item.attempts, owner: owner,
                    isUncertain: uncertain.contains(sequence))
            }
        let all = positions.keys.sorted()
        let needed = all.map { cursor.needs($0) }
        let isHere = all.map { ![.dropped, .done].contains(positions[$0]?.position) && !waits.contains($0) }
        let (waitsInStore, answers, nextDue) = (try stored.waiting(), try stored.wait(all), try stored.nextDue())
        let nextTime = waiting.first.map { $0.era < era ? 0 : $0.time } ?? .max
        let taken = UInt64(all.count { positions[$0]?.position != .log })
        return cursor.outstanding.map(\.apartFromTime) == expected && cursor.missed == undelivered
            && cursor.missedOwner == reporter && cursor.tally.taken.index == taken
            && cursor.next == looked && needed == isHere && expected.allSatisfy { $0.sequence >= cursor.floor }
            && cursor.waitingCount == UInt64(waits.count) && waitsInStore == waits
            && answers == all.map { waits.contains($0) }
            && nextDue == (expected.contains { $0.owner == 0 } ? 0 : nextTime)
    }

    /// One owner takes everything there is and acknowledges it.
    mutating func finish(_ stored: StoredCursor) throws {
        for owner in CursorModel.owners { die(stored, owner) }
        now += 1000
        while !sequences({ $0 == .log }).isEmpty { claim(stored, CursorModel.owners[0]) }
        claimGivenBack(stored, CursorModel.owners[0], limit: .max)
        try claimDue(stored, CursorModel.owners[0], limit: .max)
        let all = stored.cursor.outstanding.map { Answer(sequence: $0.sequence, outcome: .acknowledged) }
        _ = try stored.reconcile(all, of: CursorModel.owners[0])
        for answer in all { positions[answer.sequence]?.position = .done }
    }
}

extension CursorState.Delivery {
    /// It was handed out at some time.
    fileprivate var apartFromTime: CursorState.Delivery {
        var delivery = self
        delivery.since = 0
        return delivery
    }
}
