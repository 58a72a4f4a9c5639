import ArgumentParser
import CrosstieWormhole

/// `crosstie message retry`
struct MessageRetry: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Put dead letters back where they were, for their durable consumer alone."
    )

    @OptionGroup var choice: DeadLetterChoice

    func run() throws {
        try choice.settle { wormhole, number throws(CrosstieError) in
            try wormhole.retry(choice.place.identifier, name: choice.name, sequence: number)
        }
    }
}
