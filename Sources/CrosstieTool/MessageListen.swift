import ArgumentParser
import CrosstieWormhole

/// `crosstie message listen`
struct MessageListen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print a line of JSON for each message under an identifier.",
        discussion: """
            The first line tells what is stored already, or has the kind "none". An identifier that ends in '*' stands \
            for all that begin so; then there is a first line for each of them. With --queue or --durable it is every \
            message from now on; what is printed is acknowledged. --durable and --make make a group that is not there yet.
            """
    )

    @OptionGroup var place: MessagePlace

    @Option(help: ArgumentHelp("End after so many lines.", valueName: "n"))
    var count: Int?

    @Flag(help: "Every message in its order, not only the newest ones.")
    var queue = false

    @Option(help: ArgumentHelp("A queue that is kept under a name and shared by all who use it.", valueName: "name"))
    var durable: String?

    @Flag(help: "Begin a queue with the oldest message that is kept.")
    var fromOldest = false

    @Option(help: MessageStart.help)
    var from: MessageStart?

    @Flag(help: "Make the group if it is not there yet.")
    var make = false

    private var isQueue: Bool { queue || durable != nil }

    func validate() throws {
        if fromOldest, !isQueue { throw ValidationError("--from-oldest is for --queue or --durable.") }
        if from != nil, !isQueue { throw ValidationError("--from is for --queue or --durable.") }
        if from != nil, fromOldest { throw ValidationError("--from and --from-oldest exclude each other.") }
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run() throws {
        // What has been printed is acknowledged, and the rest given back, also where somebody interrupts it.
        if durable != nil { Ending.heedSignals() }
        let wormhole = try make || durable != nil ? place.open() : place.find()
        let printer = MessagePrinter(lines: count)
        let listener = try bind(wormhole, printer)
        Ending.wait()
        listener.remove()
        wormhole.close()
        Ending.follow()
        if let failure = printer.failure { throw failure }
    }

    private func bind(_ wormhole: Wormhole, _ printer: MessagePrinter) throws -> Listener {
        guard isQueue else { return try wormhole.listen(place.identifier) { try? printer.print($0) } }
        var options = Wormhole.QueueOptions()
        options.isDurable = durable != nil
        options.start = fromOldest ? .oldest : from?.start ?? .next
        return try wormhole.queue(place.identifier, name: durable, options: options) { message in
            // What has been claimed beyond the last line goes to whoever listens next, as if nobody had had it.
            defer { if printer.hasEnded { wormhole.removeListeners() } }
            try printer.print(message)
        }
    }
}
