import ArgumentParser
import CrosstieWormhole

/// `crosstie message drop`
struct MessageDrop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Remove dead letters for good."
    )

    @OptionGroup var choice: DeadLetterChoice

    func run() throws {
        try choice.apply { wormhole, number throws(CrosstieError) in
            try wormhole.drop(choice.message.identifier, name: choice.name, sequence: number)
        }
    }
}
