import ArgumentParser
import CrosstieWormhole

/// `crosstie store`: looking after what a group keeps.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Make a group; check, mend, shrink and copy what it keeps.",
        discussion: "Only 'create' and 'restore' make a group.",
        subcommands: [
            StoreCreateCommand.self, StoreCheckCommand.self, StoreRepairCommand.self, StoreCompactCommand.self,
            StoreDumpCommand.self, StoreRestoreCommand.self, StoreStatsCommand.self,
        ]
    )
}

extension Output {
    /// Writes what is wrong with a store, or could not be kept.
    static func finding(_ finding: StoreFinding) throws(CrosstieError) {
        try stored(
            ValueMap([
                ("record", .string(finding.record)), ("place", .string(finding.place)), ("why", .string(finding.why)),
            ]))
    }

    /// Writes a map as a line of JSON, where the library asks for it.
    static func stored(_ map: ValueMap) throws(CrosstieError) {
        do {
            try json(map)
        } catch {
            throw CrosstieError(.systemFailure, "\(error)")
        }
    }
}
