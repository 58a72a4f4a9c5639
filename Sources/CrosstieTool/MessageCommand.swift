import ArgumentParser
import Crosstie

/// `crosstie message`: the messages that processes pass each other.
struct MessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Send, read and hear the messages of a group of processes.",
        discussion: "A group that is not there yet is made.",
        subcommands: [
            MessageSend.self, MessageRead.self, MessageSignal.self, MessageListen.self, MessageDestroy.self,
            MessageScheduled.self, MessageCancel.self, MessageList.self, MessageMembers.self, MessageDeclare.self,
            MessageDurables.self, MessageSeek.self, MessageForget.self, MessageDead.self, MessageRetry.self,
            MessageDrop.self,
        ]
    )
}

/// Which group.
struct GroupPlace: ParsableArguments {
    @Argument(help: "The group's name.")
    var group: String

    @Option(help: "The group's directory; else the one that every process of this user finds by the name.")
    var directory: String?

    func open() throws(CrosstieError) -> Wormhole {
        var options = WormholeOptions()
        options.directory = directory
        options.log = { _, line in Output.complain("crosstie: \(line)") }
        return try Wormhole(group, options: options)
    }
}

/// Where a message stands.
struct MessagePlace: ParsableArguments {
    @OptionGroup var group: GroupPlace

    @Argument(help: "The message's identifier.")
    var identifier: String

    func open() throws(CrosstieError) -> Wormhole { try group.open() }
}

extension Output {
    /// Writes what sending came to.
    static func sent(_ sent: Wormhole.Sent) throws {
        try json(
            ValueMap([
                ("sequence", .int(Int64(clamping: sent.sequence))), ("listeners", .int(Int64(sent.listeners))),
            ]))
    }
}
