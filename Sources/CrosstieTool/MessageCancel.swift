import ArgumentParser
import CrosstieWormhole

/// `crosstie message cancel`
struct MessageCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Remove a message that waits for its time."
    )

    @OptionGroup var group: GroupPlace

    @Argument(help: "Its number, as 'send' or 'scheduled' printed it.")
    var number: UInt64

    func run() throws {
        guard try group.find().cancelScheduled(number) else {
            throw Refusal("no message of the number \(number) waits")
        }
    }
}
