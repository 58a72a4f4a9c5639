import ArgumentParser
import CrosstieWormhole

/// `crosstie store stats`
struct StoreStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the sizes, limits and defaults of a group's store as JSON.",
        discussion: "Every record is looked at."
    )

    @OptionGroup var group: GroupPlace

    func run() throws { try StoreStatsCommand.printSizes(of: group) }

    static func printSizes(of group: GroupPlace) throws {
        try Output.json(try StoreCare.sizes(group.group, group.options))
    }
}
