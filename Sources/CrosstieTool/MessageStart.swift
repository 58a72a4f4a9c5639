import ArgumentParser
import CrosstieWormhole

/// A start position on the command line.
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
            // One microsecond earlier, because a time read as a floating-point number is precise only to a fraction of
            // that.
            start = .time(max(Int64(clamping: time.nanoseconds) - 1000, 1))
        } else {
            guard let sequence = UInt64(argument), sequence > 0 else { return nil }
            start = .sequence(sequence)
        }
    }
}
