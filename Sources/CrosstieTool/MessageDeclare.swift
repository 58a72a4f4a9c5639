import ArgumentParser
import CrosstieWormhole

/// `crosstie message declare`
struct MessageDeclare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "declare",
        abstract: "Create a durable consumer without listening to it.",
        discussion: """
            From now on every message under the identifier is kept for it. Without --change an existing durable consumer must \
            have the same options.
            """
    )

    @OptionGroup var message: MessageArguments

    @Argument(help: "The name, for 'listen --durable'.")
    var name: String

    @Option(help: ArgumentHelp("Deliveries after which a message is a dead letter.", valueName: "n"))
    var maxDeliveries: UInt32 = 0

    @Option(help: ArgumentHelp("The identifier of dead letters; default: the message's and '.dead'.", valueName: "id"))
    var deadLetter = ""

    @Option(help: ArgumentHelp("The delay of the first redelivery.", valueName: "seconds"))
    var backoffFirst: Seconds?

    @Option(help: ArgumentHelp("The longest delay.", valueName: "seconds"))
    var backoffMost: Seconds?

    @Option(help: ArgumentHelp("The factor by which it grows each time.", valueName: "number"))
    var backoffFactor: Double?

    @Option(help: ArgumentHelp("The largest share by which it is shortened at random.", valueName: "0 to 1"))
    var backoffJitter: Double?

    @Option(help: ArgumentHelp("The most messages that wait for delivery.", valueName: "n"))
    var maxMessages: UInt64 = 0

    @Option(help: ArgumentHelp("The most bytes of their values.", valueName: "n"))
    var maxSize: UInt64 = 0

    @Option(help: "The policy beyond these limits: drop (the oldest), refuse, or wait.")
    var whenFull = WhenFull.drop

    @Option(help: ArgumentHelp("Remove it after this long without a listener.", valueName: "seconds"))
    var expires: Seconds?

    @Flag(help: "Begin with the oldest message that is kept.")
    var fromOldest = false

    @Flag(help: "Change the options of an existing durable consumer.")
    var change = false

    func run() throws {
        try message.open().declare(
            message.identifier, name: name, options: options, fromOldest: fromOldest, mayChange: change)
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

    /// The policy's name on the command line.
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
