import ArgumentParser
import CrosstieWormhole

/// `crosstie message declare`
struct MessageDeclare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "declare",
        abstract: "Make a durable consumer, without listening to it.",
        discussion: """
            From now on every message under the identifier is kept for it. A name that is there already has to have the \
            same options, unless there is --change.
            """
    )

    @OptionGroup var place: MessagePlace

    @Argument(help: "The name, for 'listen --durable'.")
    var name: String

    @Option(help: ArgumentHelp("A message that was handed out so often is a dead letter.", valueName: "n"))
    var maxDeliveries: UInt32 = 0

    @Option(help: ArgumentHelp("The identifier of dead letters; else the message's and '.dead'.", valueName: "id"))
    var deadLetter = ""

    @Option(help: ArgumentHelp("How long a rejected message rests at first.", valueName: "seconds"))
    var backoffFirst: Seconds?

    @Option(help: ArgumentHelp("How long it rests at most.", valueName: "seconds"))
    var backoffMost: Seconds?

    @Option(help: ArgumentHelp("By which that grows each time.", valueName: "number"))
    var backoffFactor: Double?

    @Option(help: ArgumentHelp("By which share it is shortened at random at most.", valueName: "0 to 1"))
    var backoffJitter: Double?

    @Option(help: ArgumentHelp("Messages that wait to be handed out at most.", valueName: "n"))
    var maxMessages: UInt64 = 0

    @Option(help: ArgumentHelp("Bytes of their values at most.", valueName: "n"))
    var maxSize: UInt64 = 0

    @Option(help: "What happens to a message beyond these: drop (the oldest), refuse, or wait.")
    var whenFull = WhenFull.drop

    @Option(help: ArgumentHelp("Forget it when nobody has listened for so long.", valueName: "seconds"))
    var expires: Seconds?

    @Flag(help: "Begin with the oldest message that is kept.")
    var fromOldest = false

    @Flag(help: "Change the options of a name that is there.")
    var change = false

    func run() throws {
        try place.open().declare(
            place.identifier, name: name, options: options, fromOldest: fromOldest, mayChange: change)
    }

    private var options: DurableOptions {
        var chosen = DurableOptions()
        chosen.maximumDeliveries = maxDeliveries
        chosen.deadLetterIdentifier = deadLetter
        if let backoffFirst { chosen.backOff.first = backoffFirst.nanoseconds }
        if let backoffMost { chosen.backOff.most = backoffMost.nanoseconds }
        if let backoffFactor { chosen.backOff.factor = backoffFactor }
        if let backoffJitter { chosen.backOff.jitter = backoffJitter }
        chosen.maximumMessages = maxMessages
        chosen.maximumSize = maxSize
        chosen.whenFull = whenFull.option
        if let expires { chosen.expiry = max(expires.nanoseconds, 1) }
        return chosen
    }

    /// As it is written.
    enum WhenFull: String, ExpressibleByArgument {
        case drop, refuse, wait

        var option: DurableOptions.WhenFull {
            switch self {
            case .drop: .dropOldest
            case .refuse: .refuse
            case .wait: .wait
            }
        }
    }
}

/// A span of time, or a moment since 1970.
struct Seconds: ExpressibleByArgument {
    let nanoseconds: UInt64

    init?(argument: String) {
        guard let seconds = Double(argument), seconds >= 0, seconds < 9e9 else { return nil }
        nanoseconds = UInt64(seconds * 1e9)
    }
}
