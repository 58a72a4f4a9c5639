internal import Glibc
import Testing

@testable import Crosstie

/// Steps that another process plays.
final class ScenarioProcess: Sendable {
    private let task: Task<Bool, Never>

    /// Starts this test program again, for these steps alone.
    init(steps: [Value], directory: String, isKilled: Bool) throws {
        let json = try Value.list(steps).json()
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

    private static func play(_ json: String, in directory: String) async {
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
