import ArgumentParser

/// `crosstie scheme`: the URL schemes of applications on the desktop.
struct SchemeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scheme",
        abstract: "Install URL schemes on the desktop, so that links open in an application.",
        discussion: """
            The exit status is 0; 1 for a refusal, a failure or a problem; 64 for wrong usage; 69 if the application is not \
            installed; 75 if a URL did not arrive in time.
            """,
        subcommands: [
            SchemeInstall.self, SchemeRemove.self, SchemeList.self, SchemeCheck.self, SchemeReceive.self,
        ]
    )

    /// The exit status if the application is not installed.
    static var notInstalled: ExitCode { ExitCode(69) }
    /// The exit status if a URL did not arrive in time.
    static var timedOut: ExitCode { ExitCode(75) }
}

/// The options of all these commands.
struct SchemeArguments: ParsableArguments {
    @Flag(help: "Print an object of JSON in each line.")
    var json = false

    var report: SchemeReport { SchemeReport(isJSON: json) }
}

/// The application of a command.
struct SchemeApplication: ParsableArguments {
    @Option(help: ArgumentHelp("The application's id, such as com.example.app.", valueName: "id"))
    var app: ApplicationID

    @Flag(help: "For all users, which needs the rights of root.")
    var system = false
}
