import Testing

@testable import Crosstie

/// What the listeners of a durable name have been given, apart from any store.
@Suite struct CursorStateTests {
    private let mine: UInt64 = 0x101
    private let theirs: UInt64 = 0x202

    private func cursor(claimed: [UInt64]) -> CursorState {
        var cursor = CursorState(identity: 7, next: 0)
        for sequence in claimed { #expect(holds(cursor.claim(sequence, by: mine))) }
        return cursor
    }

    private func answers(_ sequences: [UInt64], _ outcome: Answer.Outcome) -> [Answer] {
        sequences.map { Answer(sequence: $0, outcome: outcome) }
    }

    @Test func eachMessageIsGivenOutOnce() {
        var cursor = cursor(claimed: [3, 5])
        for sequence: UInt64 in [1, 3, 4, 5] { #expect(!holds(cursor.claim(sequence, by: theirs))) }
        #expect(cursor.needs(3) && cursor.needs(5) && cursor.needs(6) && !cursor.needs(4))
        #expect(cursor.floor == 3)
        #expect(cursor.claimDue(at: .max, by: theirs, limit: 9).isEmpty)
    }

    @Test func whatIsAcknowledgedIsDone() {
        var cursor = cursor(claimed: [1, 2, 3, 4])
        #expect(!holds(cursor.settle(answers([2, 1, 4, 9], .acknowledged), of: mine)))
        #expect(cursor.outstanding.map(\.sequence) == [3] && cursor.floor == 3)
        #expect(!holds(cursor.settle(answers([3], .acknowledged), of: mine)))
        #expect(cursor.outstanding.isEmpty && cursor.floor == 5 && !cursor.needs(4))
    }

    @Test func onlyItsOwnerAnswersForIt() {
        var cursor = cursor(claimed: [1])
        let before = cursor
        for owner in [theirs, CursorState.nobody] {
            #expect(!holds(cursor.settle(answers([1], .acknowledged), of: owner)))
            #expect(!holds(cursor.settle(answers([1], .rejected(notBefore: 0)), of: owner)))
        }
        #expect(cursor == before)
    }

    @Test func whatIsRejectedComesAgainWhenItsTimeHasCome() {
        var cursor = cursor(claimed: [1, 2])
        #expect(holds(cursor.settle(answers([1], .rejected(notBefore: 500)), of: mine)))
        #expect(cursor.earliestDue == 500)
        #expect(cursor.claimDue(at: 499, by: theirs, limit: 9).isEmpty)
        let again = cursor.claimDue(at: 500, by: theirs, limit: 9)
        #expect(again.map(\.sequence) == [1] && again.map(\.attempts) == [2])
        #expect(cursor.earliestDue == .max)
        #expect(!holds(cursor.settle(answers([1], .acknowledged), of: mine)))
        #expect(cursor.needs(1))
    }

    @Test func whatWasNotToldDoesNotCount() {
        var cursor = cursor(claimed: [1])
        #expect(holds(cursor.settle(answers([1], .unheard), of: mine)))
        #expect(cursor.claimDue(at: 0, by: theirs, limit: 1).map(\.attempts) == [1])
    }

    @Test func theOldestComesAgainFirst() {
        var cursor = cursor(claimed: [1, 2, 3])
        #expect(holds(cursor.settle(answers([3, 1, 2], .rejected(notBefore: 0)), of: mine)))
        #expect(cursor.claimDue(at: 1, by: theirs, limit: 2).map(\.sequence) == [1, 2])
        #expect(cursor.claimDue(at: 1, by: theirs, limit: 2).map(\.sequence) == [3])
    }

    @Test func whatTheDeadHaveIsFree() {
        var cursor = cursor(claimed: [1, 2])
        #expect(cursor.claim(3, by: theirs) && cursor.owners == [mine, theirs])
        #expect(!holds(cursor.free { _ in false }))
        #expect(holds(cursor.free { $0 == mine }))
        #expect(cursor.earliestDue == 0 && cursor.owners == [theirs])
        #expect(cursor.claimDue(at: 0, by: theirs, limit: 9).map(\.attempts) == [2, 2])
    }

    @Test func thereIsAnEndToWhatIsOutstanding() {
        var cursor = cursor(claimed: Array(1...1024))
        #expect(cursor.isFull && !cursor.claim(1025, by: mine))
        #expect(cursor.needs(1025))
        #expect(!holds(cursor.settle(answers([500], .acknowledged), of: mine)))
        #expect(holds(cursor.claim(1025, by: mine)))
    }

    @Test func whatIsDroppedIsCountedUnlessItWasGivenOut() {
        var cursor = cursor(claimed: [2])
        cursor.drop(1)
        cursor.drop(2)
        #expect(cursor.missed == 0)
        cursor.drop(4)
        cursor.drop(6)
        #expect(cursor.missed == 2 && cursor.next == 6 && cursor.needs(2))
        #expect(cursor.claimMissed(by: 1) == 2 && cursor.claimMissed(by: 2) == 0)
        #expect(!holds(cursor.settle(answers([2], .gone(isMissed: true)), of: mine)))
        #expect(cursor.missed == 3 && cursor.outstanding.isEmpty)
    }

    @Test(arguments: [(0, 100), (1, 100), (2, 200), (5, 1600), (10, 51_200), (11, 60_000), (.max, 60_000)])
    func pausesGrowUpToAMinute(attempts: UInt32, milliseconds: UInt64) {
        #expect(Answer.pause(afterAttempts: attempts) == milliseconds * 1_000_000)
    }
}

/// For a call that changes something, which the macro could not take apart.
func holds(_ isSo: Bool) -> Bool { isSo }

/// The record of a cursor.
@Suite struct CursorCodingTests {
    private func encoded(_ cursor: CursorState, boot: UInt64 = 9) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: cursor.encodedSize)
        bytes.withUnsafeMutableBytes { cursor.write(into: $0, boot: boot) }
        return bytes
    }

    private func decode(_ bytes: [UInt8], boot: UInt64 = 9) throws(CrosstieError) -> CursorState {
        try bytes.withBytes { bytes throws(CrosstieError) in try CursorState(bytes, boot: boot) }
    }

    private var sample: CursorState {
        CursorState(
            identity: 77, next: 50, missed: 3, missedOwner: 0x501,
            outstanding: [
                .init(sequence: 4, attempts: 2, owner: 0, notBefore: 123),
                .init(sequence: 50, attempts: 1, owner: 0x501),
            ])
    }

    @Test func comesBack() throws {
        #expect(try decode(encoded(sample)) == sample)
        let empty = CursorState(identity: 1, next: 0)
        #expect(try decode(encoded(empty)) == empty)
    }

    @Test func afterAnotherBootNobodyHasAnything() throws {
        let again = try decode(encoded(sample), boot: 10)
        #expect(again.outstanding.map(\.sequence) == [4, 50] && again.outstanding.map(\.attempts) == [2, 1])
        #expect(again.owners.isEmpty && again.earliestDue == 0 && again.missed == 3)
    }

    @Test func wrongSizesAreRefused() {
        let good = encoded(sample)
        for size in 0..<good.count { #expect(status { _ = try decode(Array(good[..<size])) } == .corrupt) }
        #expect(status { _ = try decode(good + [0]) } == .corrupt)
    }

    @Test func everyFlippedBitIsReadWithoutHarm() {
        let good = encoded(sample)
        for position in 0..<good.count * 8 {
            var bad = good
            bad[position / 8] ^= 1 << UInt8(position % 8)
            guard var cursor = try? decode(bad) else { continue }
            #expect(cursor.outstanding.count == 2)
            cursor.drop(.max)
            _ = cursor.claimDue(at: .max, by: 5, limit: 9)
            let answers = cursor.outstanding.map { Answer(sequence: $0.sequence, outcome: .unheard) }
            _ = cursor.settle(answers, of: 5)
            _ = (cursor.floor, cursor.free { _ in true })
        }
    }

    @Test func outOfOrderAndBeyondTheEndAreRefused() {
        for outstanding in [[(5, 1), (5, 1)], [(6, 1), (5, 1)], [(51, 1)], [(0, 1)], [(5, .max)]]
            as [[(UInt64, UInt64)]]
        {
            let cursor = CursorState(
                identity: 1, next: 50,
                outstanding: outstanding.map { .init(sequence: $0.0, attempts: 1, owner: $0.1) })
            #expect(status { _ = try decode(encoded(cursor)) } == .corrupt)
        }
    }

    @Test func moreThanThereMayBeIsRefused() throws {
        var cursor = CursorState(
            identity: 1, next: 2000, outstanding: (1...1024).map { .init(sequence: $0, attempts: 1, owner: 1) })
        #expect(try decode(encoded(cursor)) == cursor)
        cursor = CursorState(
            identity: 1, next: 2000, outstanding: (1...1025).map { .init(sequence: $0, attempts: 1, owner: 1) })
        #expect(status { _ = try decode(encoded(cursor)) } == .corrupt)
    }
}
