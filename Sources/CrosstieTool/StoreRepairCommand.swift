import ArgumentParser
import CrosstieWormhole

/// `crosstie store repair`
struct StoreRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Make a store of all that can be read of a damaged one.",
        discussion: """
            Prints a line of JSON for everything that could not be kept, and one with the counts. Nobody may have the group \
            open. What there was is put aside.
            """
    )

    @OptionGroup var group: GroupPlace

    @Option(
        help: ArgumentHelp(
            "A file of the group's directory, such as a store that was put aside; else data.mdb.", valueName: "file"))
    var from: String?

    func run() throws {
        let repaired = try StoreCare.repair(group.group, group.options, source: from, tell: Output.finding)
        try Output.json(
            ValueMap([
                ("kept", .int(Int64(clamping: repaired.records))), ("lost", .int(Int64(clamping: repaired.findings))),
                ("aside", .string(repaired.aside)),
            ]))
    }
}
