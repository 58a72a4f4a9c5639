import ArgumentParser

/// `crosstie open`: URLs that open in another process, which is the first instance of an application or exports them.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open a URL in a process that exports it, or URLs in the running instance of an application.",
        discussion: """
            Prints the answer as a line of JSON. With --hand-off, each URL is opened once, or reported on stderr; the \
            application is started if no instance runs. The exit status is 0; 69 if no process exports the URL or it \
            ended before it answered, or if no instance runs and none can be started; 75 if the time has passed; 1 for any \
            other failure.
            """
    )

    @Argument(help: "The URLs; one without --hand-off. With --hand-off and no URL, the application is activated.")
    var urls: [String] = []

    @Option(help: ArgumentHelp("The application's id, such as com.example.app.", valueName: "app"))
    var handOff: ApplicationID?

    @Option(
        help: ArgumentHelp(
            "With --hand-off, the program to start if no instance runs; by default that of the application's desktop file.",
            valueName: "path"))
    var exec: String?

    @Option(help: "The group's name; by default all groups of this user.")
    var group: String?

    @Option(help: ArgumentHelp("The process, by its name or its member number.", valueName: "name"))
    var peer: String?

    @Flag(help: "The URL comes from outside, so that it opens public routes only. With --hand-off it always does.")
    var remote = false

    @Option(
        help: """
            The time limit in seconds: 60, with --hand-off 10 by default; there 0 is for no limit.
            """)
    var timeout: Double?

    @Option(help: "The directory of the group or of the application's instances, if it is not the default.")
    var directory: String?

    @Flag(help: "With --hand-off, print an object of JSON for each URL.")
    var json = false

    func validate() throws {
        guard handOff == nil else {
            if group != nil || peer != nil { throw ValidationError("--group and --peer do not go with --hand-off.") }
            return try InstanceCommand.check(timeout ?? 0)
        }
        guard urls.count == 1 else { throw ValidationError("Without --hand-off there is one URL.") }
        if exec != nil { throw ValidationError("--exec needs --hand-off.") }
        if json { throw ValidationError("--json needs --hand-off.") }
        try target.validate()
    }

    private var target: JoinTarget {
        JoinTarget(group: group, directory: directory, peer: peer, timeout: timeout ?? 60)
    }

    func run() throws {
        guard let handOff else {
            return try JoinedURL(url: urls.first ?? "", isRemote: remote, target: target).open()
        }
        var handOver = URLHandOver(app: handOff, urls: urls)
        (handOver.program, handOver.timeout, handOver.directory) = (exec, timeout ?? 10, directory)
        handOver.isJSON = json
        try handOver.run()
    }
}
