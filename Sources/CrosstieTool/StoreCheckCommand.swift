import ArgumentParser
import CrosstieWormhole

/// `crosstie store check`
struct StoreCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look at every page and every record, and change nothing.",
        discussion: """
            Prints a line of JSON for everything that is wrong, and one with the counts. Others may have the group open. The \
            exit status is 1 if something is wrong.
            """
    )

    @OptionGroup var group: GroupPlace

    func run() throws {
        let checked = try StoreCare.check(group.group, group.options, tell: Output.finding)
        try Output.json(
            ValueMap([
                ("records", .int(Int64(clamping: checked.records))), ("wrong", .int(Int64(clamping: checked.findings))),
            ]))
        if checked.findings > 0 { throw ExitCode(1) }
    }
}
