import ArgumentParser
import CrosstieWormhole

/// `crosstie message durables`
struct MessageDurables: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "durables",
        abstract: "Print a line of JSON for each durable consumer.",
        discussion: "Prints waiting messages, messages in hand and the declared options."
    )

    @OptionGroup var group: GroupArguments

    func run() throws {
        for durable in try group.find().durables() { try Output.json(durable.value) }
    }
}
