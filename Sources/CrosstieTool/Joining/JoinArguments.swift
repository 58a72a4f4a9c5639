import ArgumentParser

/// The options of commands that reach other processes.
struct JoinArguments: ParsableArguments {
    @Option(help: "The group's name; by default all groups of this user.")
    var group: String?

    @Option(help: "The group's directory; by default the one that this user's processes find by the name.")
    var directory: String?

    @Option(help: ArgumentHelp("The process, by its name or its member number.", valueName: "name"))
    var peer: String?

    @Option(help: ArgumentHelp("The time limit in seconds.", valueName: "s"))
    var timeout: Double = 60

    var target: JoinTarget { JoinTarget(group: group, directory: directory, peer: peer, timeout: timeout) }

    func validate() throws { try target.validate() }
}
