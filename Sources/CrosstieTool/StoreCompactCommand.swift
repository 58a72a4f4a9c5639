import ArgumentParser
import CrosstieWormhole

/// `crosstie store compact`
struct StoreCompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Give the space back that a store does not need.",
        discussion: """
            Prints the bytes of its file before and after. Others go on working; there has to be room for a copy of what \
            the store holds.
            """
    )

    @OptionGroup var group: GroupPlace

    func run() throws {
        let sizes = try StoreCare.compact(group.group, group.options)
        try Output.json(
            ValueMap([
                ("before", .int(Int64(clamping: sizes.before))), ("after", .int(Int64(clamping: sizes.after))),
            ]))
    }
}
