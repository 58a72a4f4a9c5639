import ArgumentParser
import CrosstieWormhole

/// `crosstie message send`
struct MessageSend: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Store a value under an identifier and wake its listeners.",
        discussion:
            "Prints the message's number and the number of processes woken. Write '--' before a negative number."
    )

    @OptionGroup var message: MessageArguments

    @Argument(help: "The value.")
    var json: String

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header; may be repeated.", valueName: "name=text"))
    var headers: [String] = []

    @Option(help: ArgumentHelp("It expires after so many seconds.", valueName: "s"))
    var expires: Double?

    @Option(
        help: ArgumentHelp(
            "Send it after so many seconds. The number printed is for 'cancel'.", valueName: "s"))
    var delay: Double?

    func validate() throws {
        for seconds in [expires, delay] where seconds.map({ (0...4e9).contains($0) }) == false {
            throw ValidationError("--expires and --delay are seconds from 0 to 4,000,000,000.")
        }
        for header in headers where !header.dropFirst().contains("=") {
            throw ValidationError("--header takes a name, '=' and a text.")
        }
    }

    func run() throws {
        let value = try Value(json: json)
        var options = Wormhole.SendOptions()
        options.expires = expires.map { $0 == 0 ? .forever : MessageSend.span($0) }
        options.delay = delay.map(MessageSend.span)
        for header in headers {
            guard let end = header.dropFirst().firstIndex(of: "=") else { continue }
            options.headers[String(header[..<end])] = String(header[header.index(after: end)...])
        }
        try Output.sent(try message.open().send(message.identifier, value, options: options))
    }

    /// Rounded up, so that a short span does not become zero.
    private static func span(_ seconds: Double) -> Duration { .milliseconds(UInt64((seconds * 1000).rounded(.up))) }
}
