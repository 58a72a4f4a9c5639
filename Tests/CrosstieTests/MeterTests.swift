import Testing

@testable import Crosstie

@Suite struct MeterTests {
    @Test func requestsAreCountedByKindAndName() throws {
        let bus = try Bus(options: BusOptions(keepsStats: true))
        try bus.route("app://a") { _ in 1 }
        try bus.route("app://b") { _ in throw HandlerFailure(code: 1, message: "") }
        #expect(try bus.stats().isEmpty)
        for url in ["app://a", "app://a", "app://b", "app://c/d"] { _ = try? bus.open(url) }
        let lines = try bus.stats()
        #expect(lines.map(\.name) == ["", "app://a", "app://b"])
        #expect(lines.map(\.count) == [1, 2, 1])
        #expect(lines.map(\.failures) == [1, 0, 1])
        #expect(lines.allSatisfy { $0.kind == .open && $0.longest <= $0.total })
    }

    @Test func anotherBusCountsNothing() throws {
        let error = #expect(throws: CrosstieError.self) { try Bus().stats() }
        #expect(error?.status == .invalidArgument)
    }

    @Test func aNameGoesOnWhenItsHandlerIsReplaced() throws {
        let bus = try Bus(options: BusOptions(keepsStats: true))
        for _ in 0..<2 {
            try bus.route("app://a", isReplacing: true) { _ in 1 }
            _ = try bus.open("app://a")
        }
        #expect(try bus.stats().map(\.count) == [2])
    }

    @Test func namesThatWereNeverUsedAreForgotten() {
        let meters = BusMeters()
        for number in 0..<1500 { _ = meters.meter(named: "held \(number)") }
        for number in 0..<10000 { meters.meter(named: "\(number)")?.letGo() }
        #expect((1500..<5000).contains(meters.count))
    }
}
