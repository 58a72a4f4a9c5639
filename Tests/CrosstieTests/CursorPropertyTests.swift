import Testing

@testable import Crosstie

/// A cursor against a model that remembers everything of each message by itself.
@Suite struct CursorPropertyTests {
    @Test(arguments: 0..<60)
    func behavesAsTheModel(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        var cursor = CursorState(identity: 1, next: 0)
        var model = CursorModel()
        for _ in 0..<400 {
            model.step(&cursor, using: &generator)
            try #require(model.agrees(with: cursor))
            if Int.random(in: 0..<8, using: &generator) == 0 { cursor = try copied(cursor) }
        }
        model.finish(&cursor)
        #expect(cursor.outstanding.isEmpty && model.isEverythingDone)
    }

    /// Through its record.
    private func copied(_ cursor: CursorState) throws(CrosstieError) -> CursorState {
        var bytes = [UInt8](repeating: 0, count: cursor.encodedSize)
        bytes.withUnsafeMutableBytes { cursor.write(into: $0, boot: 1) }
        return try bytes.withBytes { bytes throws(CrosstieError) in try CursorState(bytes, boot: 1) }
    }
}

/// Three owners, of whom any may die at any time, a clock, and what each message has come to.
private struct CursorModel {
    private enum Place: Equatable {
        case log, dropped, done
        case with(UInt64)
        case waiting(UInt64)
    }

    private var places: [UInt64: (place: Place, attempts: UInt32)] = [:]
    private var newest: UInt64 = 0
    private var looked: UInt64 = 0
    private var now: UInt64 = 0
    private var untold: UInt64 = 0
    private var teller: UInt64 = 0
    private static let owners: [UInt64] = [0x100, 0x200, 0x300]

    var isEverythingDone: Bool { places.values.allSatisfy { $0.place == .done || $0.place == .dropped } }

    private func sequences(_ isMeant: (Place) -> Bool) -> [UInt64] {
        places.filter { isMeant($0.value.place) }.keys.sorted()
    }

    mutating func step(_ cursor: inout CursorState, using generator: inout SplitMix) {
        now += UInt64.random(in: 0..<20, using: &generator)
        guard let owner = CursorModel.owners.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: log(using: &generator)
        case 2: claim(&cursor, owner)
        case 3: claimDue(&cursor, owner, limit: Int.random(in: 1..<4, using: &generator))
        case 4, 5: answer(&cursor, owner, using: &generator)
        case 6: die(&cursor, owner)
        case 7: claimMissed(&cursor, owner)
        case 8: tellMissed(&cursor, owner, UInt64.random(in: 0..<4, using: &generator))
        default: drop(&cursor)
        }
    }

    /// Numbers leave gaps: other messages are not for this name.
    private mutating func log(using generator: inout SplitMix) {
        newest += UInt64.random(in: 1..<4, using: &generator)
        places[newest] = (.log, 0)
    }

    private mutating func claim(_ cursor: inout CursorState, _ owner: UInt64) {
        if let first = sequences({ $0 == .log }).first {
            #expect(holds(cursor.claim(first, by: owner)))
            places[first] = (.with(owner), 1)
            looked = first
        } else {
            cursor.pass(to: newest)
            looked = newest
        }
    }

    private mutating func claimDue(_ cursor: inout CursorState, _ owner: UInt64, limit: Int) {
        let due = sequences { if case .waiting(let time) = $0 { time <= now } else { false } }.prefix(limit)
        #expect(cursor.claimDue(at: now, by: owner, limit: limit).map(\.sequence) == Array(due))
        for sequence in due { places[sequence] = (.with(owner), (places[sequence]?.attempts ?? 0) + 1) }
    }

    private mutating func answer(_ cursor: inout CursorState, _ owner: UInt64, using generator: inout SplitMix) {
        var answers: [Answer] = []
        for (sequence, item) in places where Bool.random(using: &generator) {
            let outcomes: [Answer.Outcome] = [
                .acknowledged, .rejected(notBefore: now + 10), .unheard, .gone(isMissed: true),
            ]
            guard let outcome = outcomes.randomElement(using: &generator) else { continue }
            answers.append(Answer(sequence: sequence, outcome: outcome))
            guard item.place == .with(owner) else { continue }
            switch outcome {
            case .acknowledged: places[sequence] = (.done, item.attempts)
            case .rejected(let time): places[sequence] = (.waiting(time), item.attempts)
            case .unheard: places[sequence] = (.waiting(0), item.attempts - 1)
            case .gone, .missed:
                places[sequence] = (.done, item.attempts)
                untold += 1
            }
        }
        _ = cursor.settle(answers, of: owner)
    }

    private mutating func die(_ cursor: inout CursorState, _ owner: UInt64) {
        let held = sequences { $0 == .with(owner) }
        #expect(cursor.free { $0 == owner } == (!held.isEmpty || teller == owner))
        if teller == owner { teller = 0 }
        for sequence in held { places[sequence] = (.waiting(0), places[sequence]?.attempts ?? 0) }
    }

    /// One at a time is told of what was missed.
    private mutating func claimMissed(_ cursor: inout CursorState, _ owner: UInt64) {
        let claimed = cursor.claimMissed(by: owner)
        #expect(claimed == (teller == 0 || teller == owner ? untold : 0))
        if claimed > 0 { teller = owner }
    }

    private mutating func tellMissed(_ cursor: inout CursorState, _ owner: UInt64, _ count: UInt64) {
        #expect(!holds(cursor.settle([Answer(sequence: 0, outcome: .missed(told: count))], of: owner)))
        guard teller == owner else { return }
        untold -= min(count, untold)
        teller = 0
    }

    /// The oldest that nobody has had.
    private mutating func drop(_ cursor: inout CursorState) {
        guard let first = sequences({ $0 == .log }).first else { return }
        cursor.drop(first)
        places[first] = (.dropped, 0)
        looked = first
        untold += 1
    }

    func agrees(with cursor: CursorState) -> Bool {
        let expected = sequences { ![.log, .dropped, .done].contains($0) }.map { sequence in
            let item = places[sequence] ?? (.log, 0)
            return switch item.place {
            case .with(let owner): CursorState.Delivery(sequence: sequence, attempts: item.attempts, owner: owner)
            case .waiting(let time):
                CursorState.Delivery(sequence: sequence, attempts: item.attempts, owner: 0, notBefore: time)
            default: CursorState.Delivery(sequence: sequence, attempts: 0, owner: 0)
            }
        }
        let given = cursor.outstanding.map { item in
            var item = item
            if item.owner != 0 { item.notBefore = 0 }
            return item
        }
        return given == expected && cursor.missed == untold && cursor.missedOwner == teller && cursor.next == looked
            && places.allSatisfy { cursor.needs($0.key) == (![.dropped, .done].contains($0.value.place)) }
            && expected.allSatisfy { $0.sequence >= cursor.floor }
    }

    /// One owner takes everything there is and acknowledges it.
    mutating func finish(_ cursor: inout CursorState) {
        for owner in CursorModel.owners { die(&cursor, owner) }
        now += 1000
        while !sequences({ $0 == .log }).isEmpty { claim(&cursor, CursorModel.owners[0]) }
        claimDue(&cursor, CursorModel.owners[0], limit: .max)
        let all = cursor.outstanding.map { Answer(sequence: $0.sequence, outcome: .acknowledged) }
        _ = cursor.settle(all, of: CursorModel.owners[0])
        for answer in all { places[answer.sequence]?.place = .done }
    }
}
