import ArgumentParser
import Crosstie

/// `crosstie message destroy`
struct MessageDestroy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy",
        abstract: "Remove what is stored under an identifier."
    )

    @OptionGroup var place: MessagePlace

    func run() throws {
        try place.open().destroy(place.identifier)
    }
}
