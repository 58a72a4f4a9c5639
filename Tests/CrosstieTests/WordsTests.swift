import Synchronization
import Testing

@testable import CrosstieWormhole

/// Messages name the path with the system's reason, and the time limit; the scenarios test those that have no path.
@Suite("Messages of errors") struct WordsTests {
    @Test("A rule file that cannot be read is named") func ruleFiles() throws {
        let bus = try Bus()
        let error = #expect(throws: CrosstieError.self) { try bus.loadRules(file: "/nowhere/at/all.json") }
        #expect(error?.message == "/nowhere/at/all.json cannot be read: No such file or directory")
        let directory = #expect(throws: CrosstieError.self) { try bus.loadRules(file: "/") }
        #expect(directory?.message == "/ is no regular file")
    }

    @Test("A directory that cannot be opened is named") func directories() {
        var options = WormholeOptions()
        options.directory = "/dev/null/below"
        let error = #expect(throws: CrosstieError.self) { try Wormhole("words", options: options) }
        #expect(error?.message == "mkdir /dev/null/below: Not a directory")
    }

    @Test("A wait for a call has its milliseconds") func waits() throws {
        let bus = try Bus()
        let kept = Mutex<RetainedRequest?>(nil)
        try bus.route("app://slow") { request in
            let retained = try request.retain()
            kept.withLock { $0 = retained }
            return nil
        }
        let call = try bus.openAsync("app://slow", options: RequestOptions(timeout: .forever))
        let error = #expect(throws: CrosstieError.self) { try call.wait(for: .milliseconds(5)) }
        #expect(error?.message == "the call has not ended within 5 ms")
        #expect(error?.status == .timedOut)
        call.cancel()
    }
}
