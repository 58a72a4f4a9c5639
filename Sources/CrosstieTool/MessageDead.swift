import ArgumentParser
import CrosstieWormhole

/// `crosstie message dead`
struct MessageDead: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead",
        abstract: "Print a line of JSON for each dead letter of a durable consumer.",
        discussion: "Dead letters are messages that failed as often as the durable consumer allows."
    )

    @OptionGroup var message: MessageArguments

    @Argument(help: "The name given to 'declare' or 'listen --durable'.")
    var name: String

    @Option(help: ArgumentHelp("Print the one with this number, with its value.", valueName: "number"))
    var read: UInt64?

    func run() throws {
        let wormhole = try message.find()
        if let read {
            guard let letter = try wormhole.deadLetter(message.identifier, name: name, sequence: read) else {
                throw Refusal("there is no dead letter \(read) of \(name) on \(message.identifier)")
            }
            return try Output.json(letter.map)
        }
        var after: UInt64 = 0
        while true {
            let found = try wormhole.deadLetters(message.identifier, name: name, after: after)
            for letter in found { try Output.json(letter.map) }
            guard let last = found.last else { return }
            after = last.sequence
        }
    }
}

extension Wormhole.DeadLetter {
    fileprivate var map: ValueMap {
        var map = ValueMap([
            ("sequence", .int(Int64(clamping: sequence))), ("identifier", .string(identifier)),
            ("kind", .string("\(kind)")), ("size", .int(Int64(size))), ("time", .int(time)),
            ("sender", .map(ValueMap([("pid", .int(Int64(senderPID))), ("name", .string(senderName))]))),
            ("deliveries", .int(Int64(deliveries))), ("reason", .string(reason)), ("dead", .int(diedAt)),
        ])
        if let sentAs { map["sent_as"] = .int(Int64(clamping: sentAs)) }
        return map
    }
}
