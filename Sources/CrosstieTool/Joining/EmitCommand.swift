import ArgumentParser
import CrosstieJoin

/// `crosstie emit`: an event for the processes that export it.
struct EmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emit",
        abstract: "Broadcast an event to the processes that export it.",
        discussion: """
            Prints a line of JSON with 'count', the number of components with the event, 'any', whether one of them answered \
            true, and 'failures'. The exit status is 69 if no component has the event, and 1 if one failed.
            """
    )

    @Argument(help: "The event's name.")
    var event: String

    @OptionGroup var parameters: ParameterArguments

    @OptionGroup var others: JoinArguments

    func run() throws {
        let params = try parameters.read()
        let joined = try others.target.join()
        let response = try joined.response { bus, completion in
            try bus.broadcastAsync(event, params, options: others.target.options, completion: completion)
        }
        try response.report()
        guard let result = BroadcastResult(response) else { throw ExitCode(1) }
        if !result.failures.isEmpty { throw ExitCode(1) }
        if result.count == 0 { throw ExitCode(ToolStatus.nobody) }
    }
}
