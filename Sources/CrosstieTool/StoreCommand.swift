import ArgumentParser
import CrosstieWormhole

/// `crosstie store`: maintenance of a group's store.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Create a group; check, repair, shrink and copy its store.",
        discussion: "Only 'create' and 'restore' create a group.",
        subcommands: [
            StoreCreateCommand.self, StoreCheckCommand.self, StoreRepairCommand.self, StoreCompactCommand.self,
            StoreDumpCommand.self, StoreRestoreCommand.self, StoreStatsCommand.self,
        ]
    )
}

extension Output {
    /// Prints a store's problems, or records that could not be saved.
    static func finding(_ finding: StoreFinding) throws(CrosstieError) {
        try stored(
            ValueMap([
                ("record", .string(finding.record)), ("location", .string(finding.location)),
                ("why", .string(finding.why)),
            ]))
    }

    /// Prints a map from the library as a line of JSON.
    static func stored(_ map: ValueMap) throws(CrosstieError) {
        do {
            try json(map)
        } catch {
            throw CrosstieError(.systemFailure, "\(error)")
        }
    }
}
