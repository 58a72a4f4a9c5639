import ArgumentParser
import Crosstie

/// `crosstie message listen`
struct MessageListen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print a line of JSON for each message under an identifier.",
        discussion: """
            The first line tells what is stored already, or has the kind "none". An identifier that ends in '*' stands \
            for all that begin so; then there is a first line for each of them.
            """
    )

    @OptionGroup var place: MessagePlace

    @Option(help: ArgumentHelp("End after so many lines.", valueName: "n"))
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run() throws {
        let wormhole = try place.open()
        let printer = MessagePrinter(lines: count)
        let listener = try wormhole.listen(place.identifier) { printer.print($0) }
        printer.wait()
        listener.remove()
        wormhole.close()
        if let failure = printer.failure { throw failure }
    }
}
