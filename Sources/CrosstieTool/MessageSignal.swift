import ArgumentParser
import CrosstieWormhole

/// `crosstie message signal`
struct MessageSignal: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signal",
        abstract: "Wake the listeners of an identifier; its value stays.",
        discussion: "Prints the signal's number and the number of processes woken."
    )

    @OptionGroup var message: MessageArguments

    func run() throws {
        try Output.sent(try message.open().signal(message.identifier))
    }
}
