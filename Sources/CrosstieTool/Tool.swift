import ArgumentParser
import Crosstie

/// `crosstie`: looks at URLs, patterns, rules and messages from a terminal.
///
/// Whatever a subcommand throws is printed on stderr and ends the program with 1; wrong usage ends it with 64.
@main
struct Tool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crosstie",
        abstract: "Look at URLs, patterns, rules and messages as Crosstie does.",
        discussion: "The exit status is 0, 1 for what was refused or failed, and 64 for wrong usage.",
        version: crosstieVersion,
        subcommands: [
            URLCommand.self, MatchCommand.self, GenerateCommand.self, RulesCommand.self, MessageCommand.self,
            StoreCommand.self,
        ]
    )

    static func main() {
        do {
            try checkArguments()
            var command = try parseAsRoot()
            try command.run()
        } catch let error as CrosstieError {
            exit(withError: Refusal(error.description))
        } catch {
            exit(withError: error)
        }
    }

    /// Swift repairs arguments that are not UTF-8; what would be looked at then is not what was given.
    private static func checkArguments() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            guard String(validatingCString: argument) != nil else {
                throw Refusal("argument \(index) is not valid UTF-8")
            }
        }
    }
}

/// A reason to end with 1, as a terminal may be given it: others may have chosen words in it.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description.harmless }
}
