import ArgumentParser
import CrosstieWormhole

/// `crosstie message listen`
struct MessageListen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print a line of JSON for each message under an identifier.",
        discussion: """
            The first line is the stored message, or has the kind "none". With an identifier that ends in '*' there is a first \
            line for each stored message below it. With --queue or --durable every message from now on is printed, and printed \
            messages are acknowledged. --durable and --make create the group if it does not exist.
            """
    )

    @OptionGroup var message: MessageArguments

    @Option(help: ArgumentHelp("End after this many lines.", valueName: "n"))
    var count: Int?

    @Flag(help: "Every message in order, not only the newest one.")
    var queue = false

    @Option(help: ArgumentHelp("A durable consumer's queue, shared by all its listeners.", valueName: "name"))
    var durable: String?

    @Flag(help: "Begin a queue with the oldest message that is kept.")
    var fromOldest = false

    @Option(help: MessageStart.help)
    var from: MessageStart?

    @Flag(help: "Create the group if it does not exist.")
    var make = false

    private var isQueue: Bool { queue || durable != nil }

    func validate() throws {
        if fromOldest, !isQueue { throw ValidationError("--from-oldest is for --queue or --durable.") }
        if from != nil, !isQueue { throw ValidationError("--from is for --queue or --durable.") }
        if from != nil, fromOldest { throw ValidationError("--from and --from-oldest exclude each other.") }
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run() throws {
        // Printed messages are acknowledged and the others returned, also on an interrupt.
        if durable != nil { Interruption.heedSignals() }
        let wormhole = try make || durable != nil ? message.open() : message.find()
        let printer = MessagePrinter(lines: count)
        let listener = try bind(wormhole, printer)
        Interruption.wait()
        listener.remove()
        wormhole.close()
        Interruption.follow()
        if let failure = printer.failure { throw failure }
    }

    private func bind(_ wormhole: Wormhole, _ printer: MessagePrinter) throws -> Listener {
        guard isQueue else { return try wormhole.listen(message.identifier) { try? printer.print($0) } }
        var options = Wormhole.QueueOptions()
        options.isDurable = durable != nil
        options.start = fromOldest ? .oldest : from?.start ?? .next
        return try wormhole.queue(message.identifier, name: durable, options: options) { message in
            // Messages claimed beyond the last line are redelivered to the next listener without delay.
            defer { if printer.hasEnded { wormhole.removeListeners() } }
            try printer.print(message)
        }
    }
}
