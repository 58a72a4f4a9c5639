import ArgumentParser
import CrosstieWormhole

/// `crosstie message list`
struct MessageList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the identifiers that have a message, one per line."
    )

    @OptionGroup var group: GroupArguments

    @Argument(help: "An identifier, or a prefix that ends in '*'.")
    var identifier = "*"

    func run() throws {
        for found in try group.find().identifiers(identifier) { try Output.line(found) }
    }
}
