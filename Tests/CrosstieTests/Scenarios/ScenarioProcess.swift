internal import Glibc
import Testing

@testable import Crosstie

/// Steps that another process plays.
final class ScenarioProcess: Sendable {
    private let task: Task<Void, Never>

    /// Starts this test program again, for these steps alone.
    init(steps: [Value], directory: String, isKilled: Bool) throws {
        let json = try Value.list(steps).json()
        task = Task {
            if isKilled {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [json = json as String, directory = directory as String] in
                    try await ScenarioProcess.play(json, in: directory)
                }
            } else {
                await #expect(processExitsWith: .success) { [json = json as String, directory = directory as String] in
                    try await ScenarioProcess.play(json, in: directory)
                }
            }
        }
    }

    func join() async { await task.value }

    static func die() { kill(getpid(), SIGKILL) }

    private static func play(_ json: String, in directory: String) async throws {
        try await ScenarioPlayer(directory: directory).play(try Value(json: json).listValue ?? [])
    }
}

extension ScenarioPlayer {
    func startProcess(_ step: ScenarioStep) async throws {
        let process = try ScenarioProcess(
            steps: step.data["steps"]?.listValue ?? [], directory: directory, isKilled: step.flag("killed"))
        if step.has("as") { add(process, as: step.text("as")) } else { await process.join() }
    }

    func join(_ step: ScenarioStep) async throws {
        await (try find(ScenarioProcess.self, step.text("process"))).join()
        giveUp(ScenarioProcess.self, step.text("process"))
    }
}
