import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// The notes of recent changes below prefixes, in the wakeups.
@Suite final class PrefixNotesTests {
    private let wakeups: Wakeups
    private var sequence: UInt64 = 0

    init() throws { wakeups = try WakeupsFile.anonymous(WormholeOptions()) }

    deinit { WakeupsFile.close(wakeups) }

    private func topic(_ text: String) throws -> Topic {
        try Array(text.utf8).withBytes { bytes throws(CrosstieError) in try Topic(bytes) }
    }

    private func listen(to text: String) throws {
        wakeups.setBit(0, in: Wakeups.bucketOffset(try topic(text).hash), true)
        wakeups.setBit(0, in: WakeupsLayout.prefixMaskOffset, true)
    }

    @discardableResult
    private func change(_ text: String) -> UInt64 {
        sequence += 1
        Array(text.utf8).withUnsafeBytes { wakeups.note(sequence, Identifier($0)) }
        return sequence
    }

    /// The names below a prefix that have changed since; nil when that is not known.
    private func changed(below text: String, after consumed: UInt64, upTo last: UInt64? = nil) throws -> Set<String>? {
        var found = ChangedNames(below: try topic(text))
        guard found.follow(wakeups, after: consumed, upTo: last ?? sequence) else { return nil }
        return Set(found.names.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test func namesWhatHasChangedBelowEachPrefix() throws {
        for prefix in ["*", "a.*", "a.b.*"] { try listen(to: prefix) }
        #expect(try changed(below: "a.*", after: 0) == [])
        for name in ["a.x", "a.b.y", "c", "a", "a.x"] { change(name) }
        #expect(try changed(below: "*", after: 0) == ["a.x", "a.b.y", "c", "a"])
        #expect(try changed(below: "a.*", after: 0) == ["a.x", "a.b.y"])
        #expect(try changed(below: "a.b.*", after: 0) == ["a.b.y"])
        #expect(try changed(below: "a.*", after: 1, upTo: 4) == ["a.b.y"])
        #expect(try changed(below: "a.*", after: 5) == [])
        #expect(try wakeups.newestBelow(topic("a.*").hash) == 5)
        #expect(try wakeups.newestBelow(topic("a.b.*").hash) == 2)
    }

    @Test(arguments: [1, 7, 8, 9, 127, 128]) func namesOfEverySize(size: Int) throws {
        try listen(to: "*")
        let name = String(repeating: "n", count: size)
        for _ in 0..<5000 { change(name) }
        #expect(try changed(below: "*", after: 4990) == [name])
    }

    /// Changes without a listener leave no notes, and overwriting a note does not matter to listeners that have
    /// received its change.
    @Test func otherChangesDoNotMakeItUnknown() throws {
        try listen(to: "a.*")
        try listen(to: "b.*")
        change("a.old")
        let old = change("a.known")
        for _ in 0..<20_000 { change("b.x") }
        #expect(try changed(below: "a.*", after: old) == [])
        change("a.new")
        #expect(try changed(below: "a.*", after: old) == ["a.new"])
        #expect(try changed(below: "a.*", after: old - 1) == nil)
        for number in 0..<100_000 { change("c\(number % 7)") }
        #expect(try changed(below: "a.*", after: old) == ["a.new"])
    }

    @Test func moreThanThereIsRoomForIsNotKnown() throws {
        try listen(to: "a.*")
        for number in 0..<20_000 { change("a.n\(number)") }
        #expect(try changed(below: "a.*", after: 0) == nil)
        #expect(try changed(below: "a.*", after: sequence - 1000)?.count == 1000)
    }

    @Test func changesOfADeadWriterAreNotKnown() throws {
        try listen(to: "a.*")
        change("a.x")
        sequence += 1
        wakeups.beginPrefixNotes(with: sequence + 1)
        change("a.y")
        #expect(try changed(below: "a.*", after: 0) == nil && changed(below: "a.*", after: 1) == nil)
        #expect(try changed(below: "a.*", after: 2) == ["a.y"])
    }

    /// Other processes write the memory, too.
    @Test(arguments: 0..<50) func garbageIsNoHarm(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        try listen(to: "*")
        for number in 0..<300 { change("n\(number)") }
        let (begin, end) = (WakeupsLayout.prefixNoteHeadsOffset, WakeupsLayout.prefixNotesOffset + 16_384)
        for _ in 0..<(seed % 2 == 0 ? 20 : 20_000) {
            let offset = Int.random(in: begin..<end, using: &generator) & ~7
            let word = seed % 3 == 0 ? UInt64.random(in: 0..<20_000, using: &generator) & ~7 : generator.next()
            wakeups.base.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        }
        if seed % 5 == 0 {
            wakeups.base.storeBytes(
                of: generator.next(), toByteOffset: WakeupsLayout.prefixNotesEndOffset, as: UInt64.self)
        }
        for name in try changed(below: "*", after: 0) ?? [] { #expect(try topic(name).isPrefix == false) }
        for number in 0..<300 { change("n\(number)") }
        _ = try changed(below: "*", after: 0)
    }
}

/// The order of a prefix listener's next deliveries.
@Suite struct PrefixPlanTests {
    private func drain(_ plan: PrefixPlan) throws -> [(sequence: UInt64, name: String)] {
        var plan = plan
        var found: [(sequence: UInt64, name: String)] = []
        while let next = try plan.withNext({ item, name in (item.sequence, String(decoding: name, as: UTF8.self)) }) {
            found.append(next)
            plan.advance()
        }
        return found
    }

    private func plan(_ sequences: some Sequence<UInt64>, upTo last: UInt64) -> PrefixPlan {
        var plan = PrefixPlan(upTo: last)
        for sequence in sequences {
            Array("n\(sequence)".utf8).withUnsafeBytes { plan.add(.current, sequence, $0) }
        }
        plan.sort()
        return plan
    }

    @Test func isInTheOrderOfNumbers() throws {
        let plan = plan([5, 2, 9, 1], upTo: 8)
        #expect(try drain(plan).map(\.sequence) == [1, 2, 5] && plan.upTo == 8)
        #expect(try drain(plan).map(\.name) == ["n1", "n2", "n5"])
        #expect(PrefixPlan().isOver && !plan.isOver)
    }

    /// Items without room are delivered later: the newest.
    @Test func isBounded() throws {
        var generator = SplitMix(state: 1)
        let plan = plan((UInt64(1)...300_000).shuffled(using: &generator), upTo: 400_000)
        let found = try drain(plan)
        #expect(found.map(\.sequence) == Array(1...65_536) && plan.upTo == 65_536)
        #expect(found.allSatisfy { $0.name == "n\($0.sequence)" })
    }
}
