import ArgumentParser
import CrosstieWormhole

/// `crosstie store stats`
struct StoreStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the sizes, limits and defaults of a group's store as JSON.",
        discussion: "The command reads every record."
    )

    @OptionGroup var group: GroupArguments

    func run() throws { try StoreStatsCommand.printSizes(of: group) }

    static func printSizes(of group: GroupArguments) throws {
        try Output.json(try StoreCare.sizes(group.group, group.options))
    }
}
