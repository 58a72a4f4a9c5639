import ArgumentParser
import Crosstie
import CrosstieInstance

/// `crosstie instance`: the first instance of an application.
struct InstanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instance",
        abstract: "Print which process is the first instance of an application, since when, and whether it answers.",
        discussion: "The exit status is 0; 69 if there is none; 75 if it does not answer in time."
    )

    @Argument(help: "The application's id, such as com.example.app.")
    var app: ApplicationID

    @Option(help: "The seconds to wait for its answer.")
    var timeout = 2.0

    @Option(help: "The directory that the application's programs name, if they do not use the default.")
    var directory: String?

    @Flag(help: "Print an object of JSON.")
    var json = false

    func validate() throws { try InstanceCommand.check(timeout) }

    static func check(_ timeout: Double) throws {
        guard (0...1e9).contains(timeout) else { throw ValidationError("--timeout is a number of seconds, from 0 on.") }
    }

    func run() throws {
        let location = try InstanceLocation(app.text, directory: directory)
        let first: FirstInstance?
        do throws(CrosstieError) {
            first = try FirstInstance.ask(location, until: Clock.deadline(milliseconds: Int64(timeout * 1000)))
        } catch {
            guard error.status == .timedOut else { throw error }
            Output.complain("crosstie: \(error)")
            throw ExitCode(ToolStatus.late)
        }
        guard let first else {
            Output.complain("crosstie: no instance of \(app.text) runs")
            throw ExitCode(ToolStatus.nobody)
        }
        try show(first)
        if first.isReady == nil { throw ExitCode(ToolStatus.late) }
    }

    private func show(_ first: FirstInstance) throws {
        guard !json else {
            return try Output.json(
                ValueMap([
                    ("app", .string(app.text)), ("pid", .int(Int64(first.pid))),
                    ("since", first.since.map(Value.int) ?? .null), ("ready", first.isReady.map(Value.bool) ?? .null),
                    ("dbus", first.hasBusName.map(Value.bool) ?? .null),
                ]))
        }
        var state = first.isReady.map { $0 ? "ready" : "not ready" } ?? "does not answer"
        if first.hasBusName == true { state += ", on the session bus" }
        try Output.line("\(first.pid)  \(first.since.map(GroupProcess.time) ?? "-")  \(state)")
    }
}
