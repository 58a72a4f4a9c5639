internal import Glibc
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Threads that pass at once, and one that writes for all of them.
@Suite struct CombinedWriterTests {
    private let writer = CombinedWriter()
    private let sender = Sender(pid: 1, name: [])

    /// Passes nothing on a thread of its own, which never leads.
    private func send(timeout: UInt64, _ finished: Counter, _ statuses: [Counter]) {
        let (writer, sender) = (UncheckedBox(writer), sender)
        inThread {
            let changes = UnsafeBufferPointer<Change>(start: nil, count: 0)
            do throws(CrosstieError) {
                let receipt = try writer.value.write(changes, sender, timeout: timeout) { [($0, .failure(.wrong))] }
                statuses[0].add(Int(receipt.sequence))
            } catch {
                statuses[error.status == .timedOut ? 1 : 2].add()
            }
            finished.add()
        }
    }

    private func lead(_ body: (CombinedWriter.Step) -> [CombinedWriter.Finished]) throws(CrosstieError) -> Receipt {
        try writer.write(UnsafeBufferPointer(start: nil, count: 0), sender, timeout: 60_000_000_000, lead: body)
    }

    @Test func leaderWritesForWaitingSenders() throws {
        let (finished, statuses) = (Counter(), [Counter(), Counter(), Counter()])
        let receipt = try lead { own in
            for _ in 0..<7 { send(timeout: 60_000_000_000, finished, statuses) }
            var steps = [own]
            while steps.count < 8 { steps += writer.take(with: own).dropFirst() }
            return steps.enumerated().map { number, step in
                (step, number == 3 ? .failure(.wrong) : .success(Receipt(sequence: 1, notified: MemberMask())))
            }
        }
        while finished.count < 7 { usleep(100) }
        #expect(receipt.sequence == 1 && statuses.map(\.count) == [6, 0, 1])
    }

    @Test func senderLeavesAfterItsTimeout() throws {
        let (finished, statuses) = (Counter(), [Counter(), Counter(), Counter()])
        _ = try lead { own in
            for _ in 0..<4 { send(timeout: 1_000_000, finished, statuses) }
            while finished.count < 4 { usleep(100) }
            #expect(writer.take(with: own).count == 1)
            return [(own, .success(Receipt(sequence: 1, notified: MemberMask())))]
        }
        #expect(statuses.map(\.count) == [0, 4, 0])
    }

    @Test func laterSenderLeadsNext() throws {
        let (finished, statuses) = (Counter(), [Counter(), Counter(), Counter()])
        _ = try lead { own in
            send(timeout: 60_000_000_000, finished, statuses)
            while writer.waitingCount == 0 { usleep(100) }
            return [(own, .success(Receipt(sequence: 1, notified: MemberMask())))]
        }
        while finished.count < 1 { usleep(100) }
        #expect(statuses.map(\.count) == [0, 0, 1])
        #expect(try lead { [($0, .success(Receipt(sequence: 9, notified: MemberMask())))] }.sequence == 9)
    }
}

extension CrosstieError {
    fileprivate static var wrong: CrosstieError { CrosstieError(.corruptData, "wrong") }
}

/// A value that a test hands to a thread.
private struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
