import ArgumentParser
import CrosstieWormhole

/// `crosstie store repair`
struct StoreRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Create a store from the readable records of a damaged one.",
        discussion: """
            Prints a line of JSON for each record that could not be saved, and one with the counts. No process may have the \
            group open. The damaged store is set aside.
            """
    )

    @OptionGroup var group: GroupArguments

    @Option(
        help: ArgumentHelp(
            "A file of the group's directory, such as a store set aside; default: data.mdb.", valueName: "file"))
    var from: String?

    func run() throws {
        let repaired = try StoreCare.repair(group.group, group.options, source: from, report: Output.finding)
        try Output.json(
            ValueMap([
                ("kept", .int(Int64(clamping: repaired.records))), ("lost", .int(Int64(clamping: repaired.findings))),
                ("aside", .string(repaired.aside)),
            ]))
    }
}
