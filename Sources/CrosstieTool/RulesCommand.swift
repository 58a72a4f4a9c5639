import ArgumentParser
import Crosstie

/// `crosstie rules`: reads rule documents as a host that loads them does.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Check and convert rule documents, and try URLs on them.",
        subcommands: [RulesCheck.self, RulesConvert.self, RulesOpen.self]
    )
}
