import ArgumentParser
import CrosstieWormhole

/// `crosstie message`: the messages between processes.
struct MessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Send, read and listen to the messages of a group of processes.",
        discussion: """
            A command that sends creates the group if it does not exist; a command that only reads fails, and creates nothing.
            """,
        subcommands: [
            MessageSend.self, MessageRead.self, MessageSignal.self, MessageListen.self, MessageDestroy.self,
            MessageScheduled.self, MessageCancel.self, MessageList.self, MessageMembers.self, MessageDeclare.self,
            MessageDurables.self, MessageSeek.self, MessageForget.self, MessageDead.self, MessageRetry.self,
            MessageDrop.self,
        ]
    )
}

extension Output {
    /// Prints the result of sending.
    static func sent(_ sent: Wormhole.Sent) throws {
        try json(
            ValueMap([
                ("sequence", .int(Int64(clamping: sent.sequence))), ("listeners", .int(Int64(sent.listeners))),
            ]))
    }
}
