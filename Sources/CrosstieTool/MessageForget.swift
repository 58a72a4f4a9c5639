import ArgumentParser
import CrosstieWormhole

/// `crosstie message forget`
struct MessageForget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove a durable consumer, with what is kept for it."
    )

    @OptionGroup var place: MessagePlace

    @Argument(help: "The name, as it was given to 'listen --durable'.")
    var name: String

    func run() throws {
        guard try place.find().forget(place.identifier, name: name) else {
            throw Refusal("there is no durable consumer \(name) on \(place.identifier)")
        }
    }
}
