import ArgumentParser
import CrosstieWormhole
@preconcurrency import Glibc

/// `crosstie store restore`
struct StoreRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Create a group from the output of 'dump', read from stdin.",
        discussion: """
            The dump is checked first: it must be complete, and its lines must agree with their bytes. Until then no group is \
            created. Prints a line of JSON for each problem that the store already had, and one with the count.
            """
    )

    @OptionGroup var group: GroupArguments

    @Flag(help: "Set an existing group aside, if no process has it open.")
    var replace = false

    func run() throws {
        let count = try StoreCare.restore(
            group.group, group.options, replaces: replace, next: StoreRestoreCommand.line, report: Output.finding)
        try Output.json(ValueMap([("records", .int(Int64(clamping: count)))]))
    }

    /// The next line of stdin; nil at its end.
    private static func line() throws(CrosstieError) -> String? {
        errno = 0
        if let line = readLine(strippingNewline: true) { return line }
        guard ferror(stdin) == 0 else {
            throw CrosstieError(.systemFailure, "stdin: \(String(cString: strerror(errno)))")
        }
        return nil
    }
}
