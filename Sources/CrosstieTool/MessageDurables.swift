import ArgumentParser
import CrosstieWormhole

/// `crosstie message durables`
struct MessageDurables: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "durables",
        abstract: "Print a line of JSON for each durable consumer.",
        discussion: "It tells what waits, who has what in hand, and with what the name was declared."
    )

    @OptionGroup var group: GroupPlace

    func run() throws {
        for durable in try group.find().durables() { try Output.json(durable.value) }
    }
}
