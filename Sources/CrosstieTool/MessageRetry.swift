import ArgumentParser
import CrosstieWormhole

/// `crosstie message retry`
struct MessageRetry: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Put dead letters back into the queue of their durable consumer."
    )

    @OptionGroup var choice: DeadLetterChoice

    func run() throws {
        try choice.apply { wormhole, number throws(CrosstieError) in
            try wormhole.retry(choice.message.identifier, name: choice.name, sequence: number)
        }
    }
}
