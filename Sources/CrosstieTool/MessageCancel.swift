import ArgumentParser
import CrosstieWormhole

/// `crosstie message cancel`
struct MessageCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Remove a scheduled message."
    )

    @OptionGroup var group: GroupArguments

    @Argument(help: "Its number, as printed by 'send' or 'scheduled'.")
    var number: UInt64

    func run() throws {
        guard try group.find().cancelScheduled(number) else {
            throw Refusal("no message of the number \(number) waits")
        }
    }
}
