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
