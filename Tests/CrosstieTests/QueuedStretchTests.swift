import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// The positions of an identifier's queued messages in the wakeups.
@Suite struct QueuedStretchTests {
    private let wakeups: Wakeups

    init() throws { wakeups = try WakeupsFile.anonymous(WormholeOptions()) }

    /// Whether a number is among those that have to be looked at.
    private func isFound(_ number: UInt64, after: UInt64, below end: UInt64, hash: UInt64) -> Bool {
        var reached = after
        while let found = wakeups.nextQueued(after: reached, below: end, hash: hash) {
            if number >= found.first, number <= found.last { return true }
            guard found.last > reached else { return false }
            reached = found.last
        }
        return false
    }

    private func countFound(after: UInt64, below end: UInt64, hash: UInt64) -> UInt64 {
        var (reached, count): (UInt64, UInt64) = (after, 0)
        while let found = wakeups.nextQueued(after: reached, below: end, hash: hash) {
            count += min(found.last, end - 1) - found.first + 1
            reached = found.last
        }
        return count
    }

    @Test func queuedMessagesAreFoundAndMostOthersAreNot() {
        var random = SystemRandomNumberGenerator()
        let hashes = (0..<40).map { _ in UInt64.random(in: 1...UInt64.max, using: &random) }
        var queued: [(number: UInt64, hash: UInt64)] = []
        var number: UInt64 = 5000
        for _ in 0..<3000 {
            number += UInt64.random(in: 1...300, using: &random)
            // The last ones are rare.
            let place = Int.random(in: 0..<2000, using: &random)
            let hash = hashes[place < 39 ? place : place % 4]
            wakeups.noteQueued(number, hash: hash)
            queued.append((number, hash))
        }
        let end = number + 1
        for one in queued { #expect(isFound(one.number, after: 4999, below: end, hash: one.hash)) }
        let unknown = (0..<100).map { _ in countFound(after: 5300, below: end, hash: .random(in: 1...UInt64.max)) }
        // A few bits are set in each.
        #expect(unknown.sorted()[50] < (end - 5300) / 10)
        closeWakeups()
    }

    /// However few there are, and however long the log is.
    @Test func aRareOneIsLookedForAmongThirtyTwo() {
        let (rare, common): (UInt64, UInt64) = (77 << 40, 3 << 40)
        for number in UInt64(1)...25_600 { wakeups.noteQueued(number, hash: number % 256 == 100 ? rare : common) }
        // Of the first 256 not all may be known.
        #expect(countFound(after: 0, below: 25_601, hash: rare) <= 256 + 32 * 100)
        closeWakeups()
    }

    @Test func messagesQueuedBeforeAreNotKnown() {
        wakeups.noteQueued(100_000, hash: 77 << 40)
        #expect(isFound(99_000, after: 0, below: 200_000, hash: 5 << 40))
        #expect(isFound(100_000, after: 0, below: 200_000, hash: 77 << 40))
        #expect(wakeups.nextQueued(after: 100_351, below: 200_000, hash: 5 << 40) == nil)
        closeWakeups()
    }

    @Test func newStretchesTakeTheOldOnesPlaces() {
        wakeups.noteQueued(1000, hash: 77 << 40)
        wakeups.noteQueued(1500, hash: 77 << 40)
        let later: UInt64 = 1500 + 256 * WakeupsLayout.stretchCount
        wakeups.noteQueued(later, hash: 99 << 44)
        // A forgotten one may be anywhere.
        #expect(isFound(1500, after: 1279, below: later + 1, hash: 5 << 40))
        #expect(isFound(later, after: 0, below: later + 1, hash: 99 << 44))
        #expect(!isFound(later, after: 5000, below: later + 1, hash: 77 << 40))
        closeWakeups()
    }

    /// Other processes write this memory, too: whatever it says, the search ends.
    @Test func garbageIsPassedOver() {
        for offset in stride(from: WakeupsLayout.stretchesOffset, to: WakeupsLayout.size, by: 8) {
            wakeups.word(offset).pointee.store(.random(in: 0...UInt64.max), ordering: .relaxed)
        }
        wakeups.word(WakeupsLayout.queuedSinceOffset).pointee.store(1, ordering: .relaxed)
        var (reached, count): (UInt64, Int) = (0, 0)
        while count < 1000, let found = wakeups.nextQueued(after: reached, below: .max, hash: 12345) {
            #expect(found.last > reached)
            reached = found.last
            count += 1
        }
        closeWakeups()
    }

    private func closeWakeups() { WakeupsFile.close(wakeups) }
}
