import Testing

@testable import Crosstie

@Suite struct PathHashTests {
    private let seeds = RouteSeeds.random()

    /// Otherwise a table could be made whose entries all want one place, and each look-up would go through all of them.
    @Test func theOrderOfStepsCounts() {
        var orders: [[UInt32]] = [[]]
        for _ in 0..<6 {
            orders = orders.flatMap { order in (1...6).filter { !order.contains($0) }.map { order + [$0] } }
        }
        let hashes = orders.map { order in
            order.reduce(PathHash(word: seeds.start)) { $0.step(salt: $1, seeds) }.word
        }
        #expect(orders.count == 720 && Set(hashes).count == orders.count)
    }
}
