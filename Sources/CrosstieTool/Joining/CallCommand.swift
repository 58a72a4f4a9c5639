import ArgumentParser
import CrosstieJoin

/// `crosstie call`: an action of a component that another process exports.
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call a component that another process exports.",
        discussion: """
            Prints the answer as a line of JSON, and progress as lines of JSON on stderr. An interrupt cancels the call. The exit \
            status is 69 if no process exports the component or it ended before it answered, 75 if the time has passed, and 1 \
            for any other failure.
            """
    )

    @Argument(help: "The component's name.")
    var component: String

    @Argument(help: "The action's name.")
    var action: String

    @OptionGroup var parameters: ParameterArguments

    @OptionGroup var others: JoinArguments

    func run() throws {
        let params = try parameters.read()
        var options = others.target.options
        options.progress = { value in Output.complain((try? value.json().harmlessJSON) ?? "?") }
        let joined = try others.target.join()
        try joined.response { bus, completion in
            try bus.callAsync(component, action, params, options: options, completion: completion)
        }.report()
    }
}
