import Testing

@testable import Crosstie

@Suite struct RequestQueueTests {
    private func withRequests(_ priorities: [Int8], _ body: ([RequestBlock.Pointer]) -> Void) throws {
        let handle = try BusRecord.make(BusOptions())
        guard case .live(let bus) = BusRecord.resolve(handle) else { return }
        let blocks = priorities.compactMap { priority -> RequestBlock.Pointer? in
            let block = RequestBlock.make(.call, on: ThreadSlot.current, bus: bus, handle: handle)
            block?.pointee.priority = priority
            return block
        }
        body(blocks)
        for block in blocks { block.drop() }
        #expect(BusRecord.close(handle) == .ok)
    }

    private func drain(_ queue: inout RequestQueue) -> [RequestBlock.Pointer] {
        var taken: [RequestBlock.Pointer] = []
        while case .request(let block) = queue.first {
            queue.remove(block)
            taken.append(block)
        }
        return taken
    }

    @Test func urgentOnesComeFirstAndEqualOnesInTheirOrder() throws {
        try withRequests([0, -1, 1, 0, 1, -1]) { blocks in
            var queue = RequestQueue()
            for block in blocks { queue.append(block) }
            #expect(queue.count == 6)
            #expect(drain(&queue) == [2, 4, 0, 3, 1, 5].map { blocks[$0] })
            #expect(queue.count == 0 && queue.first == nil)
        }
    }

    @Test func anyMayBeTakenOutOrPutFirst() throws {
        try withRequests([0, 0, 0, -1, 1]) { blocks in
            var queue = RequestQueue()
            for block in blocks { queue.append(block) }
            queue.remove(blocks[1])
            #expect(!blocks[1].pointee.isQueued && queue.count == 4)
            queue.remove(blocks[3])
            queue.prepend(blocks[3])
            #expect(drain(&queue) == [3, 4, 0, 2].map { blocks[$0] })
        }
    }

    private final class Errand: Job {
        func run() -> Bool { true }

        func drop() {}
    }

    private func take(_ queued: QueuedJob?) -> (any Job)? {
        defer { queued?.free() }
        return queued?.job
    }

    /// Jobs keep their turn among requests of normal priority.
    @Test func jobsWaitInTheirTurn() throws {
        try withRequests([0, 0, 1, -1]) { blocks in
            var queue = RequestQueue()
            let jobs = [Errand(), Errand(), Errand()]
            queue.append(jobs[0])
            queue.append(blocks[0])
            queue.append(jobs[1])
            queue.append(jobs[2])
            queue.append(blocks[1])
            queue.append(blocks[2])
            queue.append(blocks[3])
            #expect(queue.count == 7)
            var (order, taken): ([String], [any Job]) = ([], [])
            while let item = queue.first {
                switch item {
                case .request(let block):
                    queue.remove(block)
                    order.append("request \(blocks.firstIndex(of: block) ?? -1)")
                case .job:
                    taken += [take(queue.takeJob())].compactMap { $0 }
                    order.append("job")
                }
            }
            #expect(order == ["request 2", "job", "request 0", "job", "job", "request 1", "request 3"])
            #expect(taken.elementsEqual(jobs) { $0 === $1 })
            #expect(queue.count == 0 && take(queue.takeJob()) == nil)
        }
    }

    @Test func manyJobsComeInTheirOrder() {
        var queue = JobQueue()
        let jobs = (0..<5_000).map { _ in Errand() }
        var taken: [any Job] = []
        for (turn, job) in jobs.enumerated() {
            queue.append(job, turn: UInt64(turn))
            if turn % 3 == 0 { taken += [take(queue.takeFirst())].compactMap { $0 } }
        }
        #expect(queue.nextTurn == UInt64(taken.count))
        while let job = take(queue.takeFirst()) { taken.append(job) }
        #expect(taken.count == 5_000 && taken.elementsEqual(jobs) { $0 === $1 })
        #expect(queue.nextTurn == JobQueue.noTurn)
    }
}
