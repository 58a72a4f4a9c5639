import ArgumentParser
import CrosstieWormhole

/// `crosstie message read`
struct MessageRead: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Print the value stored under an identifier, as JSON."
    )

    @OptionGroup var place: MessagePlace

    func run() throws {
        guard let value = try place.find().message(place.identifier)?.value else {
            throw Refusal("nothing is stored under \(place.identifier)")
        }
        try Output.json(value)
    }
}
