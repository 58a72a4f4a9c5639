import ArgumentParser

/// `crosstie open`: URLs that open in the first instance of an application.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open URLs in the running instance of an application, which is started if there is none.",
        discussion: """
            Each URL is opened once, or reported on stderr. The exit status is 0; 1 for a URL that is not open; 69 if \
            there is no instance and none can be started; 75 if a URL was not opened in time.
            """
    )

    @Argument(help: "The URLs. Without any, the application is activated.")
    var urls: [String] = []

    @Option(help: ArgumentHelp("The application's id, such as com.example.app.", valueName: "app"))
    var handOff: ApplicationID

    @Option(
        help: ArgumentHelp(
            "The program to start if no instance runs; by default that of the application's desktop file.",
            valueName: "path"))
    var exec: String?

    @Option(help: "The seconds to wait for all of it; 0 for no limit.")
    var timeout = 10.0

    @Option(help: "The directory that the application's programs name, if they do not use the default.")
    var directory: String?

    @Flag(help: "Print an object of JSON for each URL.")
    var json = false

    func validate() throws { try InstanceCommand.check(timeout) }

    func run() throws {
        var handOver = URLHandOver(app: handOff, urls: urls)
        (handOver.program, handOver.timeout, handOver.directory) = (exec, timeout, directory)
        handOver.isJSON = json
        try handOver.run()
    }
}
