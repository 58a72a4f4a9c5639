internal import Glibc
import Synchronization
import Testing

@testable import Crosstie

/// A thread that is asked while it waits, in Swift; Tests/C/test_waiting.c has every kind of wait.
@Suite struct WaitingTests {
    private let scratch = Scratch()

    /// Runs `body` on a thread whose waits are unwanted after having been asked so often. Gives how often it was asked.
    private func asked<Result>(atMost patience: Int, _ body: () throws -> Result) rethrows -> Int {
        let count = Mutex(0)
        setThreadWait {
            count.withLock {
                $0 += 1
                return $0 > patience
            }
        }
        defer { setThreadWait(nil) }
        _ = try body()
        return count.withLock { $0 }
    }

    @Test func aRequestIsCancelled() throws {
        let bus = try Bus()
        let kept = Mutex<[RetainedRequest]>([])
        try bus.route("app://keep") { request in
            let retained = try request.retain()
            kept.withLock { $0.append(retained) }
            return nil
        }
        let options = RequestOptions(timeout: .forever)
        let count = asked(atMost: 1) {
            let error = #expect(throws: CrosstieError.self) { try bus.open("app://keep", options: options) }
            #expect(error?.status == .cancelled)
        }
        #expect(count == 2)
        #expect(kept.withLock { $0.count == 1 && $0.allSatisfy { $0.request.isCancelled } })
    }

    @Test func aToolOfTheSystemIsNotWaitedFor() throws {
        let tool = StandIn(
            in: scratch, then: "while [ ! -e \"$0.go\" ]; do sleep 0.01; done; mv \"$0.arguments\" \"$0.done\"")
        var options = SystemProviderOptions()
        options.mail = tool.path
        let bus = try Bus()
        try bus.addProvider(try SystemProvider(options))
        let count = asked(atMost: 0) {
            let error = #expect(throws: CrosstieError.self) {
                try bus.share(
                    .text("a"), to: .systemActivity, options: RequestOptions(timeout: .forever))
            }
            #expect(error?.status == .cancelled)
        }
        #expect(count == 1)
        // It goes on alone, and has to end before its directory does.
        writeFile(tool.path + ".go", [])
        while access(tool.path + ".done", F_OK) != 0 { Clock.sleep(nanoseconds: 1_000_000) }
        tool.waitForEnd()
        bus.close()
    }
}
