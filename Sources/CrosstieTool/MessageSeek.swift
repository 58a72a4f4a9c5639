import ArgumentParser
import CrosstieWormhole

/// `crosstie message seek`
struct MessageSeek: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek",
        abstract: "Move a durable consumer to an older message that is kept, or to a newer one.",
        discussion: """
            What comes before the new place is as if it were done, and what comes after it is handed out as if for the \
            first time. What somebody has in hand before it stays there.
            """
    )

    @OptionGroup var place: MessagePlace

    @Argument(help: "The name, as it was given to 'listen --durable'.")
    var name: String

    @Argument(help: MessageStart.help)
    var start: MessageStart

    func run() throws {
        guard try place.find().seek(place.identifier, name: name, to: start.start) else {
            throw Refusal("there is no durable consumer \(name) on \(place.identifier)")
        }
    }
}

/// Where to begin, as it is written.
struct MessageStart: ExpressibleByArgument {
    let start: QueueStart

    static let help: ArgumentHelp =
        "A message's number; '@' and a time in seconds since 1970; 'oldest'; or 'next', for what is to come."

    init?(argument: String) {
        if argument == "oldest" {
            start = .oldest
        } else if argument == "next" {
            start = .next
        } else if argument.hasPrefix("@") {
            guard let time = Seconds(argument: String(argument.dropFirst())) else { return nil }
            // A microsecond before: what was read as a number tells a message's own time no better than to a part of that.
            start = .time(max(Int64(clamping: time.nanoseconds) - 1000, 1))
        } else {
            guard let sequence = UInt64(argument), sequence > 0 else { return nil }
            start = .sequence(sequence)
        }
    }
}
