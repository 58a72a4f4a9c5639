import ArgumentParser
import CrosstieWormhole

/// `crosstie message destroy`
struct MessageDestroy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy",
        abstract: "Remove what is stored under an identifier, and what of it is queued.",
        discussion: "Prints the number of the change and how many processes were woken."
    )

    @OptionGroup var place: MessagePlace

    func run() throws {
        try Output.sent(try place.find().destroy(place.identifier))
    }
}
