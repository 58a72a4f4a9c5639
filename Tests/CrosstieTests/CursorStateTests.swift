import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// The deliveries of a durable consumer, without a store.
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

    /// Messages to be redelivered are added to `waiting`.
    private func reconcile(
        _ cursor: inout CursorState, _ answers: [Answer], of owner: UInt64, waiting: inout [WaitingMessage]
    ) -> Bool {
        cursor.reconcile(answers, of: owner, waiting: &waiting)
    }

    /// Nothing is to wait.
    private func reconcile(_ cursor: inout CursorState, _ answers: [Answer], of owner: UInt64) -> Bool {
        var waiting: [WaitingMessage] = []
        defer { #expect(waiting.isEmpty) }
        return cursor.reconcile(answers, of: owner, waiting: &waiting)
    }

    @Test func eachMessageIsGivenOutOnce() {
        var cursor = cursor(claimed: [3, 5])
        for sequence: UInt64 in [1, 3, 4, 5] { #expect(!holds(cursor.claim(sequence, by: theirs))) }
        #expect(cursor.needs(3) && cursor.needs(5) && cursor.needs(6) && !cursor.needs(4))
        #expect(cursor.floor == 3)
        #expect(cursor.claimGivenBack(by: theirs, limit: 9).isEmpty)
    }

    @Test func acknowledgedMessageIsDone() {
        var cursor = cursor(claimed: [1, 2, 3, 4])
        #expect(!holds(reconcile(&cursor, answers([2, 1, 4, 9], .acknowledged), of: mine)))
        #expect(cursor.outstanding.map(\.sequence) == [3] && cursor.floor == 3)
        #expect(!holds(reconcile(&cursor, answers([3], .acknowledged), of: mine)))
        #expect(cursor.outstanding.isEmpty && cursor.floor == 5 && !cursor.needs(4))
    }

    @Test func onlyItsOwnerAnswersForIt() {
        var cursor = cursor(claimed: [1])
        let before = cursor
        for owner in [theirs, CursorState.nobody] {
            #expect(!holds(reconcile(&cursor, answers([1], .acknowledged), of: owner)))
            #expect(!holds(reconcile(&cursor, answers([1], .rejected(notBefore: 0)), of: owner)))
        }
        #expect(cursor == before)
    }

    @Test func rejectedMessageHasNoOwner() {
        var cursor = cursor(claimed: [1, 2, 3])
        var waiting: [WaitingMessage] = []
        #expect(holds(reconcile(&cursor, answers([1, 3], .rejected(notBefore: 500)), of: mine, waiting: &waiting)))
        let due = DueTime(era: 0, clock: 500)
        #expect(waiting == [1, 3].map { WaitingMessage(sequence: $0, attempts: 1, due: due) })
        #expect(cursor.outstanding.map(\.sequence) == [2] && cursor.waitingCount == 2 && !cursor.hasGivenBack)
        #expect(cursor.claim(waiting[0], by: theirs) == .init(sequence: 1, attempts: 2, owner: theirs))
        #expect(cursor.outstanding.map(\.sequence) == [1, 2] && cursor.waitingCount == 1 && cursor.floor == 1)
        #expect(!holds(reconcile(&cursor, answers([1], .acknowledged), of: mine)) && cursor.needs(1))
        #expect(holds(!reconcile(&cursor, answers([1], .acknowledged), of: theirs)) && !cursor.needs(1))
    }

    @Test func messageThatCannotHaveWaitedIsNotDelivered() {
        var cursor = cursor(claimed: [1, 2, 3])
        var waiting: [WaitingMessage] = []
        #expect(holds(reconcile(&cursor, answers([2], .rejected(notBefore: 5)), of: mine, waiting: &waiting)))
        for sequence: UInt64 in [0, 1, 3, 4, .max] {
            let wrong = WaitingMessage(sequence: sequence, attempts: 1, due: DueTime(era: 0, clock: 0))
            #expect(cursor.claim(wrong, by: mine) == nil)
        }
        #expect(cursor.claim(waiting[0], by: mine)?.attempts == 2)
        #expect(cursor.claim(waiting[0], by: mine) == nil)
    }

    @Test func undeliveredMessageDoesNotCount() {
        var cursor = cursor(claimed: [1])
        #expect(holds(reconcile(&cursor, answers([1], .undelivered), of: mine)))
        #expect(cursor.claimGivenBack(by: theirs, limit: 1).map(\.attempts) == [1])
    }

    @Test func theOldestComesAgainFirst() {
        var cursor = cursor(claimed: [1, 2, 3])
        #expect(holds(reconcile(&cursor, answers([3, 1, 2], .left), of: mine)))
        #expect(cursor.claimGivenBack(by: theirs, limit: 2).map(\.sequence) == [1, 2])
        #expect(cursor.claimGivenBack(by: theirs, limit: 2).map(\.sequence) == [3])
    }

    @Test func messagesOfDeadOwnersAreFreed() {
        var cursor = cursor(claimed: [1, 2])
        #expect(cursor.claim(3, by: theirs) && cursor.owners == [mine, theirs])
        #expect(!holds(cursor.free { _ in false }) && !cursor.hasGivenBack)
        #expect(holds(cursor.free { $0 == mine }))
        #expect(cursor.hasGivenBack && cursor.owners == [theirs])
        #expect(cursor.claimGivenBack(by: theirs, limit: 9).map(\.attempts) == [2, 2])
    }

    @Test func thereIsAnEndToWhatIsInHandsAndNoneToWhatWaits() {
        var cursor = cursor(claimed: Array(1...1024))
        #expect(cursor.isFull && !cursor.claim(1025, by: mine))
        #expect(cursor.needs(1025))
        #expect(!holds(reconcile(&cursor, answers([500], .acknowledged), of: mine)))
        #expect(holds(cursor.claim(1025, by: mine)))
        var waiting: [WaitingMessage] = []
        for first in stride(from: UInt64(2000), to: 20_000, by: 1000) {
            let all = cursor.outstanding.map(\.sequence)
            #expect(holds(reconcile(&cursor, answers(all, .rejected(notBefore: 1)), of: mine, waiting: &waiting)))
            for sequence in first..<first + 1000 { #expect(holds(cursor.claim(sequence, by: mine))) }
        }
        #expect(cursor.waitingCount == 18_024 && waiting.count == 18_024 && cursor.outstanding.count == 1000)
        for message in waiting[..<24] { #expect(cursor.claim(message, by: mine) != nil) }
        #expect(cursor.isFull && cursor.claim(waiting[24], by: mine) == nil && cursor.waitingCount == 18_000)
    }

    @Test func droppedMessageIsMissedUnlessItWasDelivered() {
        var cursor = cursor(claimed: [2])
        cursor.drop(1)
        cursor.drop(2)
        #expect(cursor.missed == 0)
        cursor.drop(4)
        cursor.drop(6)
        #expect(cursor.missed == 2 && cursor.next == 6 && cursor.needs(2))
        // Destroying a message in the middle leaves the position unchanged.
        cursor.miss(0)
        #expect(cursor.missed == 2 && cursor.next == 6)
        #expect(cursor.claimMissed(by: 1) == 2 && cursor.claimMissed(by: 2) == 0)
        #expect(!holds(reconcile(&cursor, answers([2], .removed(isMissed: true)), of: mine)))
        #expect(cursor.missed == 3 && cursor.outstanding.isEmpty)
    }

    @Test func movingLeavesEarlierMessagesInHand() {
        var cursor = cursor(claimed: [1, 2, 3, 4, 5])
        var waiting: [WaitingMessage] = []
        #expect(holds(reconcile(&cursor, answers([2], .rejected(notBefore: 9)), of: mine, waiting: &waiting)))
        #expect(holds(reconcile(&cursor, answers([1], .left), of: mine)))
        cursor.seek(after: 3, taken: LogTail(index: 3, total: 30), shelf: 50)
        #expect(cursor.outstanding.map(\.sequence) == [3] && cursor.waitingCount == 0 && cursor.next == 3)
        #expect(cursor.identity == 7 && cursor.shelf == 50 && cursor.tally.taken.index == 3)
        // The old owner of a redelivered message answers for nothing.
        #expect(!holds(reconcile(&cursor, answers([4, 5], .acknowledged), of: mine)))
        #expect(holds(cursor.claim(4, by: theirs)) && cursor.outstanding.map(\.attempts) == [1, 1])
        cursor.seek(after: 100, taken: LogTail(index: 100, total: 1000), shelf: 51)
        #expect(cursor.outstanding.map(\.sequence) == [3, 4] && !cursor.needs(100) && cursor.needs(101))
    }

    @Test func takenMessagesAndDeliveriesAreCounted() {
        var cursor = CursorState(identity: 7, next: 0)
        #expect(holds(cursor.claim(1, size: 10, by: mine, at: 5)) && holds(cursor.claim(2, size: 20, by: mine, at: 6)))
        cursor.drop(3, size: 40)
        cursor.miss(2, size: 100)
        #expect(cursor.tally.taken == LogTail(index: 5, total: 170) && cursor.tally.deliveries == 2)
        #expect(cursor.outstanding.map(\.since) == [5, 6])
        #expect(holds(reconcile(&cursor, answers([1], .left), of: mine)))
        #expect(holds(reconcile(&cursor, answers([2], .undelivered), of: mine)) && cursor.tally.deliveries == 1)
        #expect(cursor.claimGivenBack(by: theirs, limit: 9, at: 8).map(\.since) == [8, 8])
        #expect(cursor.tally.deliveries == 3 && cursor.tally.taken.index == 5)
    }

    @Test func anAnswerToAnEarlierDeliveryIsLeftAlone() {
        var cursor = CursorState(identity: 7, next: 0)
        #expect(holds(cursor.claim(1, by: mine, at: 5)))
        cursor.seek(after: 0, taken: LogTail(), shelf: 8)
        #expect(holds(cursor.claim(1, by: mine, at: 6)))
        #expect(holds(!reconcile(&cursor, [Answer(sequence: 1, since: 5, outcome: .acknowledged)], of: mine)))
        #expect(cursor.outstanding.map(\.since) == [6])
        #expect(holds(!reconcile(&cursor, [Answer(sequence: 1, since: 6, outcome: .acknowledged)], of: mine)))
        #expect(cursor.outstanding.isEmpty)
    }

    @Test(arguments: [(0, 100), (1, 100), (2, 200), (5, 1600), (10, 51_200), (11, 60_000), (.max, 60_000)])
    func pausesGrowUpToAMinute(attempts: UInt32, milliseconds: UInt64) {
        #expect(DurableOptions.BackOff().pause(afterAttempts: attempts) == milliseconds * 1_000_000)
    }

    @Test func jitterShortensAPauseAndNothingElse() {
        var backOff = DurableOptions.BackOff()
        backOff.jitter = 0.5
        let pauses = (0..<1000).map { _ in backOff.pause(afterAttempts: 2) }
        #expect(pauses.allSatisfy { (100_000_000...200_000_000).contains($0) })
        #expect(Set(pauses).count > 1)
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
                .init(sequence: 4, attempts: 2, owner: 0), .init(sequence: 50, attempts: 1, owner: 0x501),
            ], waitingCount: 1 << 40, era: 7, isTurnOfNew: true, shelf: 91)
    }

    @Test func comesBack() throws {
        #expect(try decode(encoded(sample)) == sample)
        let empty = CursorState(identity: 1, next: 0)
        #expect(try decode(encoded(empty)) == empty)
    }

    @Test func afterAnotherBootNobodyHasAnything() throws {
        let again = try decode(encoded(sample), boot: 10)
        #expect(again.outstanding.map(\.sequence) == [4, 50] && again.outstanding.map(\.attempts) == [2, 1])
        #expect(again.owners.isEmpty && again.hasGivenBack && again.missed == 3)
        #expect(again.waitingCount == 1 << 40 && again.era == 8 && again.isTurnOfNew)
    }

    @Test func wrongSizesAreRefused() {
        let good = encoded(sample)
        for size in 0..<good.count { #expect(status { _ = try decode(Array(good[..<size])) } == .corruptData) }
        #expect(status { _ = try decode(good + [0]) } == .corruptData)
    }

    @Test func everyFlippedBitIsReadWithoutHarm() {
        let good = encoded(sample)
        for position in 0..<good.count * 8 {
            var bad = good
            bad[position / 8] ^= 1 << UInt8(position % 8)
            guard var cursor = try? decode(bad) else { continue }
            #expect(cursor.outstanding.count == 2)
            cursor.drop(.max)
            _ = cursor.claimGivenBack(by: 5, limit: 9)
            let answers = cursor.outstanding.map { Answer(sequence: $0.sequence, outcome: .rejected(notBefore: 1)) }
            var waiting: [WaitingMessage] = []
            _ = cursor.reconcile(answers, of: 5, waiting: &waiting)
            for message in waiting { _ = cursor.claim(message, by: 5) }
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
            #expect(status { _ = try decode(encoded(cursor)) } == .corruptData)
        }
    }

    @Test func impossibleTurnIsRefused() {
        var bytes = encoded(sample)
        bytes[60] = 2
        #expect(status { _ = try decode(bytes) } == .corruptData)
    }

    @Test func partsAreReadOfARecordAlone() throws {
        var bytes = encoded(sample)
        let numbers = bytes.withUnsafeBytes { CursorState.numbers($0) }
        #expect(numbers?.identity == 77 && numbers?.shelf == 91)
        CursorState.forgetWaiting(in: &bytes)
        #expect(try decode(bytes).waitingCount == 0 && decode(bytes).outstanding == sample.outstanding)
        var short = [UInt8](repeating: 1, count: 63)
        CursorState.forgetWaiting(in: &short)
        short.withUnsafeBytes { #expect(CursorState.numbers($0) == nil && short == [UInt8](repeating: 1, count: 63)) }
    }

    @Test func moreThanThereMayBeIsRefused() throws {
        var cursor = CursorState(
            identity: 1, next: 2000, outstanding: (1...1024).map { .init(sequence: $0, attempts: 1, owner: 1) })
        #expect(try decode(encoded(cursor)) == cursor)
        cursor = CursorState(
            identity: 1, next: 2000, outstanding: (1...1025).map { .init(sequence: $0, attempts: 1, owner: 1) })
        #expect(status { _ = try decode(encoded(cursor)) } == .corruptData)
    }
}
