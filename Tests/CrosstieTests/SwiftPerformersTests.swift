import Synchronization
import Testing

@testable import Crosstie

@Suite struct SwiftPerformersTests {
    /// Counts how often it was asked.
    private final class Counter: Performer {
        static let made = Mutex<[String: Int]>([:])
        private let count = Atomic(0)

        init(_ test: String) { Self.made.withLock { $0[test, default: 0] += 1 } }

        func perform(_ selector: String, _ request: Request) throws -> Value? {
            switch selector {
            case "count": return .int(Int64(count.add(1, ordering: .relaxed).newValue))
            case "broken": throw HandlerFailure(code: 9, message: "broken")
            default:
                try request.refuse(.noAction)
                return nil
            }
        }
    }

    private func status(_ body: () throws -> Void) -> Status? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CrosstieError)?.status
        }
    }

    private func fixture(_ test: String) throws -> Bus {
        let bus = try Bus()
        try bus.registerPerformer("Counter") { Counter(test) }
        try bus.allow("swift:Counter")
        return bus
    }

    @Test func itIsMadeForEachRequest() throws {
        let bus = try fixture("each")
        for _ in 0..<3 { #expect(try bus.perform("swift:Counter", "count").value == 1) }
        #expect(Counter.made.withLock { $0["each"] } == 3)
    }

    @Test func itIsKeptOnRequestAndReleasedByName() throws {
        let bus = try fixture("kept")
        #expect(status { try bus.releasePerformer("swift:Counter") } == .notFound)
        for number in 1...3 {
            #expect(
                try bus.perform("swift:Counter", "count", options: RequestOptions(isCached: true)).value
                    == .int(Int64(number)))
        }
        #expect(try bus.perform("swift:Counter", "count").value == 1)
        #expect(Counter.made.withLock { $0["kept"] } == 2)
        try bus.releasePerformer("swift:Counter")
        #expect(status { try bus.releasePerformer("swift:Counter") } == .notFound)
        #expect(try bus.perform("swift:Counter", "count", options: RequestOptions(isCached: true)).value == 1)
    }

    @Test func missingNamesAreReported() throws {
        let bus = try fixture("missing")
        #expect(status { try bus.perform("swift:Counter", "other") } == .noAction)
        #expect(status { try bus.perform("swift:Counter", "broken") } == .handlerFailed)
        try bus.allow("swift:Other")
        #expect(status { try bus.perform("swift:Other") } == .noTarget)
        try bus.setPerformerFallback { request in .string(request.target) }
        #expect(try bus.perform("swift:Other").value == "swift:Other")
        #expect(try bus.perform("swift:Counter", "other").value == "swift:Counter")
    }

    @Test func registeringDoesNotAllow() throws {
        let bus = try Bus()
        try bus.registerPerformer("Counter") { Counter("allow") }
        #expect(status { try bus.perform("swift:Counter", "count") } == .denied)
        #expect(status { try bus.registerPerformer("Counter") { Counter("allow") } } == .conflict)
        #expect(status { try bus.registerPerformer("no name") { Counter("allow") } } == .invalidIdentifier)
    }
}
