internal import Glibc
import Testing

@testable import Crosstie

/// Steps that another process plays: by another player if CROSSTIE_OTHER_PLAYER names one.
final class ScenarioProcess: Sendable {
    private let task: Task<Bool, Never>

    /// Starts this test program again, for these steps alone.
    init(steps: [Value], directory: String, isKilled: Bool) throws {
        let json = try Value.list(steps).json()
        if let program = getenv("CROSSTIE_OTHER_PLAYER") {
            let other = try OtherPlayer(String(cString: program), json, in: directory)
            task = Task { other.end() == (isKilled ? SIGKILL : 0) }
            return
        }
        task = Task {
            let result =
                if isKilled {
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [json = json as String, directory = directory as String] in
                        await ScenarioProcess.play(json, in: directory)
                    }
                } else {
                    await #expect(processExitsWith: .success) {
                        [json = json as String, directory = directory as String] in
                        await ScenarioProcess.play(json, in: directory)
                    }
                }
            return result != nil
        }
    }

    /// Waits for its end; false when that was another than expected.
    func join() async -> Bool { await task.value }

    static func die() { kill(getpid(), SIGKILL) }

    fileprivate static func play(_ json: String, in directory: String) async {
        do {
            try await ScenarioPlayer(directory: directory).play(try Value(json: json).listValue ?? [])
        } catch {
            print("another process: \(error)")
            exit(1)
        }
    }
}

extension ScenarioPlayer {
    func startProcess(_ step: ScenarioStep) async throws {
        let process = try ScenarioProcess(
            steps: step.data["steps"]?.listValue ?? [], directory: directory, isKilled: step.flag("killed"))
        if step.has("as") {
            add(process, as: step.text("as"))
        } else {
            try step.expect("the process's end", await process.join(), true)
        }
    }

    func join(_ step: ScenarioStep) async throws {
        let process = try find(ScenarioProcess.self, step.text("process"))
        try step.expect("the process's end", await process.join(), true)
        giveUp(ScenarioProcess.self, step.text("process"))
    }
}

/// Another program that plays steps.
private struct OtherPlayer {
    private let pid: pid_t

    init(_ program: String, _ json: String, in directory: String) throws {
        let arguments = [program, "--process", directory, json]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        guard posix_spawn(&pid, program, nil, nil, &words, environ) == 0 else {
            throw Unexpected("\(program) could not be started")
        }
        self.pid = pid
    }

    /// Waits for its end: the wait status.
    func end() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// The steps of another player, which starts this test program for them.
@Suite(.enabled(if: getenv("CROSSTIE_PROCESS_STEPS") != nil))
struct OtherPlayersSteps {
    @Test func otherPlayersSteps() async {
        guard let json = getenv("CROSSTIE_PROCESS_STEPS"), let directory = getenv("CROSSTIE_PROCESS_DIRECTORY") else {
            return
        }
        await ScenarioProcess.play(String(cString: json), in: String(cString: directory))
    }
}
