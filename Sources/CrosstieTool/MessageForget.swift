import ArgumentParser
import CrosstieWormhole

/// `crosstie message forget`
struct MessageForget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove a durable consumer, with the messages kept for it."
    )

    @OptionGroup var message: MessageArguments

    @Argument(help: "The name given to 'listen --durable'.")
    var name: String

    func run() throws {
        guard try message.find().forget(message.identifier, name: name) else {
            throw Refusal("there is no durable consumer \(name) on \(message.identifier)")
        }
    }
}
