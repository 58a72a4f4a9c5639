import ArgumentParser
import CrosstieWormhole

/// `crosstie message seek`
struct MessageSeek: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek",
        abstract: "Move a durable consumer back to an older message that is kept, or on to a newer one.",
        discussion: """
            Messages before the new position count as acknowledged; messages after it are delivered as if for the first time. \
            Messages in hand before it stay in hand.
            """
    )

    @OptionGroup var message: MessageArguments

    @Argument(help: "The name given to 'listen --durable'.")
    var name: String

    @Argument(help: MessageStart.help)
    var start: MessageStart

    func run() throws {
        guard try message.find().seek(message.identifier, name: name, to: start.start) else {
            throw Refusal("there is no durable consumer \(name) on \(message.identifier)")
        }
    }
}
