import ArgumentParser
import CrosstieWormhole
@preconcurrency import Glibc

/// `crosstie store restore`
struct StoreRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a group of what 'dump' has printed, which is read from stdin.",
        discussion: """
            The dump is checked: that it is whole, and that what its lines say is what their bytes mean. Until then there is \
            no group. A line of JSON is printed for what was wrong already when it was dumped, and one with the count.
            """
    )

    @OptionGroup var group: GroupPlace

    @Flag(help: "Put a group aside that is there, and that nobody has open.")
    var replace = false

    func run() throws {
        let count = try StoreCare.restore(
            group.group, group.options, replaces: replace, next: StoreRestoreCommand.line, tell: Output.finding)
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
