import ArgumentParser
import CrosstieWormhole

/// `crosstie message destroy`
struct MessageDestroy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy",
        abstract: "Remove the current message of an identifier and its queued ones.",
        discussion: "Prints the number of the change and the number of processes woken."
    )

    @OptionGroup var message: MessageArguments

    func run() throws {
        try Output.sent(try message.find().destroy(message.identifier))
    }
}
