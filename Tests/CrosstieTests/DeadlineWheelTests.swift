import Testing

@testable import Crosstie

@Suite struct DeadlineWheelTests {
    /// A wheel, and requests of a bus with these deadlines.
    private func withRequests(
        _ deadlines: [UInt64], _ body: (DeadlineWheel, [RequestBlock.Pointer]) throws -> Void
    ) throws {
        let handle = try BusRecord.make(BusOptions())
        guard case .live(let bus) = BusRecord.resolve(handle) else { return }
        let wheel = DeadlineWheel()
        let blocks = deadlines.compactMap { deadline -> RequestBlock.Pointer? in
            let block = RequestBlock.make(.call, on: ThreadSlot.current, bus: bus, handle: handle)
            block?.pointee.deadline = deadline
            return block
        }
        for block in blocks { wheel.insert(block) }
        try body(wheel, blocks)
        for block in blocks {
            wheel.remove(block)
            block.drop()
        }
        wheel.free()
        #expect(BusRecord.close(handle) == .ok)
    }

    private static let second: UInt64 = 1_000_000_000

    @Test func theNearestIsNeverLaterThanAnyDeadline() throws {
        let seconds = Self.second
        try withRequests([70 * seconds, 3 * seconds, 9 * seconds, Clock.never]) { wheel, blocks in
            #expect(wheel.nearest == 3 * seconds)
            wheel.remove(blocks[1])
            #expect(wheel.nearest <= 9 * seconds)
            wheel.remove(blocks[2])
            wheel.remove(blocks[0])
            #expect(wheel.nearest == Clock.never)
            #expect(blocks[3].pointee.isListed && !blocks[0].pointee.isListed)
        }
    }

    /// 4.3 s is a turn: the first three share a slot or lie close to it.
    @Test func dueEntriesAreTakenAndTheRestStays() throws {
        let turn: UInt64 = 256 << 24
        try withRequests([turn, 2 * turn, 3 * turn, turn + 1, Clock.never]) { wheel, blocks in
            var none = wheel.takeDue(turn - 1)
            #expect(none.isEmpty && none.end(.timedOut) == 0)
            var due = wheel.takeDue(turn)
            #expect(due.end(.timedOut) == 1)
            #expect(blocks.map(\.hasEnded) == [true, false, false, false, false])
            #expect(wheel.nearest == turn + 1)
            var later = wheel.takeDue(2 * turn)
            #expect(later.end(.timedOut) == 2)
            #expect(wheel.nearest == 3 * turn)
            var rest = wheel.take { _ in true }
            #expect(rest.end(.closed) == 2)
            let statuses = blocks.map { $0.pointee.status }
            #expect(statuses == [.timedOut, .timedOut, .closed, .timedOut, .closed])
            #expect(blocks.allSatisfy { !$0.pointee.isListed })
        }
    }

    @Test func anyMayBeRemovedAndAddedAgain() throws {
        var random = SystemRandomNumberGenerator()
        let deadlines = (0..<200).map { _ in random.next() % (20 * Self.second) }
        try withRequests(deadlines) { wheel, blocks in
            for _ in 0..<2_000 {
                let block = blocks[Int(random.next() % 200)]
                if block.pointee.isListed { wheel.remove(block) } else { wheel.insert(block) }
                wheel.remove(blocks[0])
            }
            let listed = blocks.filter { $0.pointee.isListed }
            let earliest = listed.map { $0.pointee.deadline }.min() ?? Clock.never
            #expect(wheel.nearest <= earliest)
            var all = wheel.takeDue(20 * Self.second)
            #expect(all.end(.timedOut) == listed.count)
        }
    }
}
