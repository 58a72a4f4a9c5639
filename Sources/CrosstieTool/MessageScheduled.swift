import ArgumentParser
import CrosstieWormhole

/// `crosstie message scheduled`
struct MessageScheduled: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scheduled",
        abstract: "Print a line of JSON for each scheduled message.",
        discussion: "In the order of times, which are nanoseconds since 1970."
    )

    @OptionGroup var group: GroupArguments

    @Argument(help: "An identifier, or a prefix that ends in '*'.")
    var identifier = "*"

    func run() throws {
        for message in try group.find().scheduled(identifier) {
            try Output.json(
                ValueMap([
                    ("number", .int(Int64(clamping: message.number))), ("identifier", .string(message.identifier)),
                    ("kind", .string("\(message.kind)")), ("not_before", .int(message.notBefore)),
                    ("sent", .int(message.sent)), ("expires", message.expires == 0 ? .null : .int(message.expires)),
                    ("size", .int(Int64(message.size))),
                    (
                        "sender",
                        .map(
                            ValueMap([
                                ("pid", .int(Int64(message.senderPID))), ("name", .string(message.senderName)),
                            ]))
                    ),
                    ("headers", Output.headers(message.headers)),
                ]))
        }
    }
}

extension Output {
    /// Named texts, in their order.
    static func headers(_ headers: [String: String]) -> Value {
        .map(ValueMap(headers.sorted { $0.key < $1.key }.map { ($0.key, Value.string($0.value)) }))
    }
}
