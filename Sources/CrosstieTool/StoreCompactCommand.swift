import ArgumentParser
import CrosstieWormhole

/// `crosstie store compact`
struct StoreCompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Free the space that a store does not need.",
        discussion: """
            Prints the bytes of its file before and after. Other processes go on working. The disk needs room for a copy of the \
            store's content.
            """
    )

    @OptionGroup var group: GroupArguments

    func run() throws {
        let sizes = try StoreCare.compact(group.group, group.options)
        try Output.json(
            ValueMap([
                ("before", .int(Int64(clamping: sizes.before))), ("after", .int(Int64(clamping: sizes.after))),
            ]))
    }
}
