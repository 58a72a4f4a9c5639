internal import Glibc
import Testing

@testable import Crosstie

/// The time that a share waits for its tool, and launched programs.
@Suite struct SystemProviderWaitTests {
    private let scratch = Scratch()

    private func bus(_ change: (inout SystemProviderOptions) -> Void) throws -> Bus {
        var options = SystemProviderOptions()
        change(&options)
        let bus = try Bus()
        try bus.addProvider(try SystemProvider(options))
        return bus
    }

    /// A mail composer that ends when the test says so.
    private func stuck() -> StandIn {
        StandIn(
            in: scratch, then: "while [ ! -e \"$0.go\" ]; do sleep 0.01; done; mv \"$0.arguments\" \"$0.done\"")
    }

    private func waitFor(_ path: String) {
        while access(path, F_OK) != 0 { Clock.sleep(nanoseconds: 1_000_000) }
    }

    @Test func aToolOutlivesTheDeadline() throws {
        let tool = stuck()
        let bus = try bus { $0.mail = tool.path }
        let error = #expect(throws: CrosstieError.self) {
            try bus.share(.text("a"), to: .systemActivity, options: RequestOptions(timeout: .milliseconds(500)))
        }
        #expect(error?.status == .timedOut)
        waitFor(tool.path + ".arguments")
        writeFile(tool.path + ".go", [])
        waitFor(tool.path + ".done")
        tool.waitForEnd()
        bus.close()
    }

    @Test func aToolOutlivesACancel() throws {
        let tool = stuck()
        let bus = try bus { $0.mail = tool.path }
        let call = try bus.shareAsync(.text("a"), to: .systemActivity)
        waitFor(tool.path + ".arguments")
        #expect(call.cancel() == .ok)
        #expect(try call.wait().status == .cancelled)
        // Its handler has returned, or this would wait for the tool.
        try bus.removeProvider(named: "system")
        writeFile(tool.path + ".go", [])
        waitFor(tool.path + ".done")
        tool.waitForEnd()
        bus.close()
    }

    @Test func twoAtOnceHaveEachItsOwnResult() throws {
        let tool = StandIn(
            in: scratch, then: "case $(basename \"$1\") in 0.*) exit 0;; 1.*) exit 1;; *) exit 3;; esac")
        let bus = try bus {
            $0.opener = tool.path
            $0.directory = scratch.path
        }
        let calls = try (0..<12).map { number in
            try bus.shareAsync(.file([1], extension: "x", name: "\(number % 3)"), to: .systemActivity)
        }
        let expected: [Status] = [.ok, .unknownAnswer, .notInstalled]
        #expect(try calls.map { try $0.wait().status } == (0..<12).map { expected[$0 % 3] })
    }

    @Test(
        arguments: [
            (nil, Status.invalidParameter), (["desktopEntry": 1], .invalidParameter),
            (["desktopEntry": "../x"], .invalidParameter),
            (["desktopEntry": "org.example.None"], .notInstalled),
            (["desktopEntry": "org.example.None", "command": "id"], .invalidParameter),
            (["desktopEntry": "org.example.None", "arguments": "/a"], .invalidParameter),
            (["desktopEntry": "org.example.None", "arguments": ["/a", "-b"]], .invalidParameter),
            (["desktopEntry": "org.example.None", "arguments": ["b"]], .invalidParameter),
            (["desktopEntry": "org.example.None", "arguments": [""]], .invalidParameter),
            (["desktopEntry": "org.example.None", "arguments": ["/a\0b"]], .invalidParameter),
            (["desktopEntry": "org.example.None", "arguments": ["-x:y"]], .invalidParameter),
            (
                ["desktopEntry": "org.example.None", "arguments": ["/a", "https://example.com", nil]], .invalidParameter
            ),
            (["desktopEntry": "org.example.None", "arguments": ["/a", "https://example.com"]], .notInstalled),
            (["desktopEntry": "org.example.None", "arguments": nil], .notInstalled),
            (
                ["desktopEntry": "org.example.None", "arguments": .list(Array(repeating: "/a", count: 65))],
                .limitExceeded
            ),
            (
                [
                    "desktopEntry": "org.example.None",
                    "arguments": [.string("/" + String(repeating: "a", count: 8192))],
                ],
                .limitExceeded
            ),
        ] as [(Value, Status)]) func aProgramIsChecked(_ program: Value, _ status: Status) throws
    {
        let tool = StandIn(in: scratch)
        let bus = try bus { $0.launcher = tool.path }
        let error = #expect(throws: CrosstieError.self) { try bus.launch(program, on: .system) }
        #expect(error?.status == status && tool.arguments == nil)
    }

    @Test func optionsAreChecked() throws {
        for (status, change) in [
            (.invalidArgument, { $0.mail = "a\0b" }), (.invalidArgument, { $0.directory = "relative" }),
            (.limitExceeded, { $0.opener = String(repeating: "a", count: 4097) }),
            (.invalidIdentifier, { $0.name = "1" }),
        ] as [(Status, (inout SystemProviderOptions) -> Void)] {
            #expect(#expect(throws: CrosstieError.self) { try bus(change) }?.status == status)
        }
        let two = try bus { $0.name = "desktop" }
        try two.addProvider(try SystemProvider())
        #expect(try two.providers().map(\.name) == ["desktop", "system"])
    }
}
