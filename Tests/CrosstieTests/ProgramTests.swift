internal import CPlatform
internal import Glibc
import Testing

@testable import Crosstie

@Suite struct ProgramTests {
    private let scratch = Scratch()

    /// Waits for a program's end.
    private func end(of child: pid_t) -> Program.State {
        while true {
            let state = Program.state(of: child)
            guard state == .running else { return state }
            Clock.sleep(nanoseconds: 1_000_000)
        }
    }

    @Test func argumentsArriveAsTheyAre() throws {
        let tool = StandIn(in: scratch)
        let hostile = ["", "-x", "--help", "$(id)`id`", "a b\n'c' \"d\" \\e", "é\u{1F600}", ";&|*?"]
        #expect(end(of: try Program.start(tool.path, hostile)) == .exited(0))
        #expect(tool.arguments == hostile)
        #expect(tool.input == [])
    }

    @Test func inputIsRead() throws {
        let tool = StandIn(in: scratch)
        let file = cp_memory_file()
        defer { close(file) }
        let data = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try PrivateFiles.fill(file, with: data, "memory")
        #expect(end(of: try Program.start(tool.path, [], input: file)) == .exited(0))
        #expect(tool.input == data)
    }

    @Test func theExitStatusIsReported() throws {
        let failing = StandIn(in: scratch, named: "failing", then: "exit 37")
        let killed = StandIn(in: scratch, named: "killed", then: "kill -9 $$")
        #expect(end(of: try Program.start(failing.path, [])) == .exited(37))
        let child = try Program.start(killed.path, [])
        #expect(end(of: child) == .killed(signal: 9))
        #expect(Program.state(of: child) == .ended)
    }

    @Test func tooMuchTextIsALimit() {
        let error = #expect(throws: CrosstieError.self) {
            try Program.start("/bin/true", [String(repeating: "a", count: 200_000)])
        }
        #expect(error?.status == .limitExceeded)
    }

    @Test func programsAreFound() {
        let (plain, directory) = (scratch.path + "/plain", scratch.path + "/directory")
        writeFile(plain, [])
        mkdir(directory, 0o700)
        let tool = StandIn(in: scratch)
        #expect(Program.find(tool.path) == tool.path)
        #expect(
            [plain, directory, scratch.path + "/none", "no-such-program"].map(Program.find) == [nil, nil, nil, nil])
        #expect(Program.find("sh").map { $0.hasSuffix("/sh") } == true)
    }
}
