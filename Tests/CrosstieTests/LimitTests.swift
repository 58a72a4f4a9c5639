import Testing

@testable import Crosstie

/// Limits that C's functions look at before the core does: here the core's own.
@Suite struct LimitTests {
    private let bus: Bus

    init() throws { bus = try Bus() }

    private struct Sharing: ShareProvider {
        let name: String
        let endpoints: [Endpoint: Set<ShareKind>]

        init(_ name: String, endpoints count: Int) {
            self.name = name
            let pairs = (0..<count).map { (Endpoint(rawValue: "e\($0)"), Set<ShareKind>()) }
            endpoints = Dictionary(uniqueKeysWithValues: pairs)
        }

        func share(_ message: Value, to endpoint: Endpoint, _ request: Request) -> Value? { .null }
    }

    private func status(_ body: () throws -> Void) -> Status? {
        do { try body() } catch { return (error as? CrosstieError)?.status }
        return nil
    }

    @Test(arguments: [64, 65]) func systemOpenerSchemes(count: Int) {
        let schemes = (0..<count).map { "s\($0)" }
        #expect(status { _ = try bus.setSystemOpener(schemes: schemes) } == (count == 64 ? nil : .limitExceeded))
    }

    @Test(arguments: [4_096, 4_097]) func systemOpenerProgram(size: Int) {
        let program = String(repeating: "x", count: size)
        #expect(status { _ = try bus.setSystemOpener(program: program) } == (size == 4_096 ? nil : .limitExceeded))
    }

    @Test(arguments: [64, 65]) func endpointsOfAProvider(count: Int) {
        let provider = Sharing("many", endpoints: count)
        #expect(status { _ = try bus.addProvider(provider) } == (count == 64 ? nil : .limitExceeded))
    }

    @Test(arguments: [64, 65]) func providersSetTogether(count: Int) {
        let providers = (0..<count).map { Sharing("p\($0)", endpoints: 1) }
        #expect(status { _ = try bus.setProviders(providers) } == (count == 64 ? nil : .limitExceeded))
    }
}
