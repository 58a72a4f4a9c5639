import ArgumentParser
import Crosstie

/// `crosstie store stats`
struct StoreStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the sizes of a group's store as JSON.",
        discussion: "Every record is looked at."
    )

    @OptionGroup var group: GroupPlace

    func run() throws { try Output.json(try StoreCare.sizes(group.group, group.options)) }
}
