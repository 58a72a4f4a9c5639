import ArgumentParser
import Crosstie

/// `crosstie message send`
struct MessageSend: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Store a value under an identifier and wake its listeners.",
        discussion:
            "Prints the message's number and how many processes were woken. Write '--' before a negative number."
    )

    @OptionGroup var place: MessagePlace

    @Argument(help: "The value.")
    var json: String

    func run() throws {
        let value = try Value(json: json)
        try Output.sent(try place.open().send(place.identifier, value))
    }
}
