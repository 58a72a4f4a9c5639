import ArgumentParser
import CrosstieWormhole

/// `crosstie message list`
struct MessageList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the identifiers that have a message, one on a line."
    )

    @OptionGroup var group: GroupPlace

    @Argument(help: "An identifier that ends in '*' stands for all that begin so.")
    var identifier = "*"

    func run() throws {
        for found in try group.find().identifiers(identifier) { try Output.line(found) }
    }
}
