import ArgumentParser
import Crosstie

/// `crosstie`: URLs, patterns, rules, messages and the desktop's schemes from a terminal.
///
/// An error of a subcommand is printed on stderr and ends the program with 1; wrong usage ends it with 64.
@main
struct Tool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crosstie",
        abstract: "Look at URLs, patterns, rules and messages, reach programs, and install URL schemes.",
        discussion: """
            The exit status is 0, 1 for a failure, and 64 for wrong usage; single subcommands have 69 and 75, too.
            """,
        version: crosstieVersion,
        subcommands: [
            URLCommand.self, MatchCommand.self, GenerateCommand.self, RulesCommand.self, MessageCommand.self,
            StoreCommand.self, SchemeCommand.self, ProcessesCommand.self, CallCommand.self, OpenCommand.self,
            EmitCommand.self, InstanceCommand.self,
        ]
    )

    static func main() {
        do {
            try checkArguments()
            if let handOver = URLHandOver(desktopArguments: CommandLine.arguments) { return try handOver.run() }
            var command = try parseAsRoot()
            try command.run()
        } catch let error as CrosstieError {
            exit(withError: Refusal(error.description))
        } catch {
            exit(withError: error)
        }
    }

    /// Refused, because Swift repairs arguments that are not UTF-8, and the command would read a different text.
    private static func checkArguments() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            guard String(validatingCString: argument) != nil else {
                throw Refusal("argument \(index) is not valid UTF-8")
            }
        }
    }
}
