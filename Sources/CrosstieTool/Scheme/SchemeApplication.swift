import ArgumentParser

/// The application of a command.
struct SchemeApplication: ParsableArguments {
    @Option(help: ArgumentHelp("The application's id, such as com.example.app.", valueName: "id"))
    var app: ApplicationID

    @Flag(help: "For all users, which needs the rights of root.")
    var system = false
}
