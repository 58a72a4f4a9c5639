import Testing

@testable import Crosstie

@Suite struct ReferenceCountTests {
    private final class Record: Sendable {
        let references = ReferenceCount()
    }

    @Test func oneRemovalAloneIsTheLast() {
        let record = Record()
        record.references.start(2)
        record.references.add()
        expect(!record.references.remove() && !record.references.remove())
        expect(record.references.remove())
    }

    @Test func ofThreadsThatRemoveOneIsTheLast() {
        let (record, lasts, wrong) = (Record(), Counter(), Counter())
        Crowd.run(3, rounds: 200) { _ in
            record.references.start(3)
        } _: { _, _ in
            record.references.add()
            if record.references.remove() { wrong.add() }
            if record.references.remove() { lasts.add() }
        } check: { round in
            if lasts.count != round + 1 { wrong.add() }
        }
        expect(lasts.count == 200 && wrong.count == 0)
    }
}
