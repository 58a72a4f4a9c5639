import ArgumentParser
import CrosstieWormhole

/// `crosstie message read`
struct MessageRead: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Print the value stored under an identifier, as JSON."
    )

    @OptionGroup var message: MessageArguments

    func run() throws {
        guard let value = try message.find().message(message.identifier)?.value else {
            throw Refusal("nothing is stored under \(message.identifier)")
        }
        try Output.json(value)
    }
}
