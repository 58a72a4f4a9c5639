import ArgumentParser
import Crosstie

/// `crosstie scheme check`
struct SchemeCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look for schemes that do not open, or not in the application that was installed for them.",
        discussion: "Prints a line for each problem. The exit status is 1 if there are problems."
    )

    @Option(help: ArgumentHelp("The application's id; by default all that 'install' has written.", valueName: "id"))
    var app: ApplicationID?

    @OptionGroup var output: SchemeArguments

    func run() throws {
        let inspection = SchemeInspection(directories: try XDGDirectories(), app: app)
        if app != nil, inspection.applications.isEmpty {
            Output.complain("crosstie: the application is not installed by 'crosstie scheme'")
            throw SchemeCommand.notInstalled
        }
        let problems = try inspection.problems()
        for problem in problems { try show(problem) }
        guard problems.isEmpty else { throw ExitCode.failure }
    }

    private func show(_ problem: SchemeProblem) throws {
        guard output.json else { return try Output.line("\(problem.kind.rawValue): \(problem.text)".harmless) }
        try Output.json(
            ValueMap([
                ("kind", .string(problem.kind.rawValue)), ("app", .string(problem.app)),
                ("scheme", .string(problem.scheme)), ("file", .string(problem.file)),
                ("message", .string(problem.text)),
            ]))
    }
}
