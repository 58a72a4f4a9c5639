import ArgumentParser
import CrosstieWormhole

/// `crosstie message`: the messages that processes pass each other.
struct MessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Send, read and hear the messages of a group of processes.",
        discussion: """
            Whatever passes something makes a group that is not there yet; whatever looks at one says so, and makes nothing.
            """,
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

    @Flag(help: "The group of that name whose messages survive a power failure, which is kept elsewhere.")
    var system = false

    /// Opens the group, and makes it if it is not there.
    func open() throws(CrosstieError) -> Wormhole { try Wormhole(group, options: options) }

    /// Opens the group if it is there.
    func find() throws(CrosstieError) -> Wormhole {
        var options = options
        options.mustExist = true
        return try Wormhole(group, options: options)
    }

    var options: WormholeOptions {
        var options = WormholeOptions()
        options.directory = directory
        if system { options.durability = .system }
        options.log = { _, line in Output.complain("crosstie: \(line)") }
        return options
    }
}

/// Where a message stands.
struct MessagePlace: ParsableArguments {
    @OptionGroup var group: GroupPlace

    @Argument(help: "The message's identifier.")
    var identifier: String

    func open() throws(CrosstieError) -> Wormhole { try group.open() }

    func find() throws(CrosstieError) -> Wormhole { try group.find() }
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
