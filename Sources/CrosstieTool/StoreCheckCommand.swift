import ArgumentParser
import CrosstieWormhole

/// `crosstie store check`
struct StoreCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check every page and every record without changing the store.",
        discussion: """
            Prints a line of JSON for each problem, and one with the counts. Other processes may have the group open. The exit \
            status is 1 if there are problems.
            """
    )

    @OptionGroup var group: GroupArguments

    func run() throws {
        let checked = try StoreCare.check(group.group, group.options, report: Output.finding)
        try Output.json(
            ValueMap([
                ("records", .int(Int64(clamping: checked.records))), ("wrong", .int(Int64(clamping: checked.findings))),
            ]))
        if checked.findings > 0 { throw ExitCode(1) }
    }
}
