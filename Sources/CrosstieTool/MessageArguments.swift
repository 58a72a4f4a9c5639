import ArgumentParser
import CrosstieWormhole

/// The group and the identifier of a message.
struct MessageArguments: ParsableArguments {
    @OptionGroup var group: GroupArguments

    @Argument(help: "The message's identifier.")
    var identifier: String

    func open() throws(CrosstieError) -> Wormhole { try group.open() }

    func find() throws(CrosstieError) -> Wormhole { try group.find() }
}
