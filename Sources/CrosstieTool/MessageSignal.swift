import ArgumentParser
import CrosstieWormhole

/// `crosstie message signal`
struct MessageSignal: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signal",
        abstract: "Wake the listeners of an identifier; its value stays.",
        discussion: "Prints the signal's number and how many processes were woken."
    )

    @OptionGroup var place: MessagePlace

    func run() throws {
        try Output.sent(try place.open().signal(place.identifier))
    }
}
