import Testing

@testable import Crosstie

/// Loading is tested in C, where a plug-in can be built.
@Suite struct PluginTests {
    @Test func refusalsSayWhy() throws {
        let bus = try Bus()
        for (path, status) in [
            ("", Status.invalidArgument), ("/nowhere/at-all.so", .systemFailure), ("libm.so.6", .notAComponent),
            (String(repeating: "a", count: 4097), .limitExceeded), ("a\0b", .invalidArgument),
        ] {
            let error = #expect(throws: CrosstieError.self) { try bus.loadPlugin(path) }
            #expect(error?.status == status)
        }
        let error = #expect(throws: CrosstieError.self) { try bus.unloadPlugin("libm.so.6") }
        #expect(error?.status == .notFound)
    }

    @Test func theLoadersReasonIsHandedOn() throws {
        let error = #expect(throws: CrosstieError.self) { try Bus().loadPlugin("/nowhere/at-all.so") }
        #expect(error?.message.contains("at-all.so") == true)
    }
}
