import ArgumentParser
import CrosstieJoin

/// `crosstie open`
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open a URL in another process that exports it.",
        discussion: """
            Prints the answer as a line of JSON. The exit status is 69 if no process exports the URL or it ended before it \
            answered, 75 if the time has passed, and 1 for any other failure.
            """
    )

    @Argument(help: "The URL.")
    var url: String

    @Flag(help: "The URL comes from outside, so that it opens public routes only.")
    var remote = false

    @OptionGroup var target: JoinArguments

    func run() throws {
        var options = target.options
        if remote { options.origin = .remote }
        let joined = try target.join(importing: "*")
        let isKnown = joined.bus.canOpen(url, origin: options.origin, anywhere: true) == .peer
        try joined.response { bus, completion in
            try bus.openAsync(url, options: options, completion: completion)
        }.report { status in status == .noRoute && !isKnown ? ToolStatus.nobody : ToolStatus.of(status) }
    }
}
