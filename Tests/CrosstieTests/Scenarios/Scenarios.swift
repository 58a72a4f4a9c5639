internal import Glibc
import Synchronization
import Testing

@testable import Crosstie

/// Every file of Tests/Scenarios, played through the Swift interface.
///
/// One after the other: they hold threads while they wait, and of hundreds at once on the few threads that Swift has for
/// them one would wait longer for its turn than its watchdog allows.
@Suite(.counted, .serialized)
struct Scenarios {
    @Test(arguments: ScenarioFile.all)
    func scenario(_ file: ScenarioFile) async throws { try await play(file, isInMemory: false) }

    @Test("Wormholes in memory", arguments: try ScenarioFile.all.filter { try $0.isForMemory })
    func inMemory(_ file: ScenarioFile) async throws { try await play(file, isInMemory: true) }

    private func play(_ file: ScenarioFile, isInMemory: Bool) async throws {
        Tally.played.add()
        let directory = try ScenarioDirectory()
        let player = ScenarioPlayer(directory: directory.path, isInMemory: isInMemory)
        do {
            guard let schema = ScenarioSchema.shared else { throw Unexpected("there is no steps.schema") }
            for step in try file.steps() { try schema.check(ScenarioStep(data: step)) }
            try await player.play(try file.steps())
        } catch {
            Issue.record("\(file): \(error)")
            return
        }
        Tally.passed.add()
    }

    @Test(.enabled(if: getenv("CROSSTIE_SCENARIOS") == nil))
    func thereAreScenarios() { #expect(ScenarioFile.all.count > 100) }
}

/// The number of scenarios played in this run.
private enum Tally {
    static let played = Counter()
    static let passed = Counter()
}

/// Prints the count when the suite is through.
private struct CountedTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard test.isSuite else { return }
        print("scenarios: \(Tally.played.count) played, \(Tally.passed.count) passed")
        print("\(Tally.passed.count) passed, \(Tally.played.count - Tally.passed.count) failed")
    }
}

extension Trait where Self == CountedTrait {
    fileprivate static var counted: Self { Self() }
}

/// A data file, by its path below Tests/Scenarios.
struct ScenarioFile: Sendable, CustomTestStringConvertible, CustomStringConvertible {
    let name: String

    var description: String { name }
    var testDescription: String { name }

    static let root =
        String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }) + "/Scenarios"

    /// Those of one folder alone, if CROSSTIE_SCENARIOS names it.
    static let all: [ScenarioFile] = Scratch.list(root).sorted().filter(isWanted).flatMap { topic in
        Scratch.list("\(root)/\(topic)").sorted().filter { $0.hasSuffix(".json") }.map {
            ScenarioFile(name: "\(topic)/\($0)")
        }
    }

    private static func isWanted(_ topic: String) -> Bool {
        getenv("CROSSTIE_SCENARIOS").map { String(cString: $0) == topic } ?? true
    }

    /// Whether it deals with wormholes that need not be in a directory.
    var isForMemory: Bool {
        get throws { try name.hasPrefix("wormhole/") && document()["needs"] == nil }
    }

    func steps() throws -> [Value] { try document()["steps"]?.listValue ?? [] }

    private func document() throws -> Value { try ScenarioFile.read(name) }

    /// A JSON document below Tests/Scenarios.
    static func read(_ name: String) throws -> Value {
        guard let file = fopen("\(root)/\(name)", "r") else { throw Unexpected("no such file") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let size = fread(&bytes, 1, bytes.count, file)
        return try Value(json: Array(bytes[..<size]))
    }
}

/// The directory of the wormholes of one scenario; removed at its end.
private final class ScenarioDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/crosstie-scenario-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Unexpected("no directory could be made") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        ScenarioDirectory.remove(path)
    }

    private static func remove(_ path: String) {
        for name in Scratch.list(path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
