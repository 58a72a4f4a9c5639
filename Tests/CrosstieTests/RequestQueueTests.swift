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
}
