import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// A process's memory of the log from one step to the next, when a step is not stored.
@Suite struct RememberedTests {
    private let jobs: InterestTable

    init() throws {
        jobs = InterestTable()
        let topic = try Array("jobs".utf8).withBytes { bytes throws(CrosstieError) in try Topic(bytes) }
        jobs.add(topic, InterestRecord())
    }

    private func queue(_ count: UInt64, from first: UInt64, _ counts: QueuedCounts) {
        counts.follow(jobs, with: first)
        Array("jobs".utf8).withUnsafeBytes { text in
            guard let identifier = Identifier(text) else { return }
            for _ in 0..<count { counts.add(Change(.signal, identifier), at: 0) }
        }
        counts.finish(at: first + count - 1)
    }

    @Test func queuedMessagesAreKnown() {
        let counts = QueuedCounts()
        queue(2, from: 5, counts)
        counts.commit()
        queue(1, from: 7, counts)
        counts.commit()
        #expect(counts.known(jobs, at: 0, after: 4, upTo: 7)?.index == 3)
    }

    /// Another process gets the numbers, with other messages.
    @Test func aStepThatWasDroppedDoesNotCount() {
        let counts = QueuedCounts()
        queue(1, from: 5, counts)
        counts.commit()
        queue(1, from: 6, counts)
        counts.withdraw()
        queue(1, from: 7, counts)
        counts.commit()
        #expect(counts.known(jobs, at: 0, after: 4, upTo: 7) == nil)
        #expect(counts.take(jobs, after: 4, upTo: 7) == nil)
    }

    /// Nor does one take away what was known before, in which nothing was counted.
    @Test func aStepThatWasRefusedLeavesTheRest() {
        let counts = QueuedCounts()
        queue(1, from: 5, counts)
        counts.commit()
        counts.withdraw()
        #expect(counts.known(jobs, at: 0, after: 4, upTo: 5)?.index == 1)
    }
}
