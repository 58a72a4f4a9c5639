import ArgumentParser
import CrosstieWormhole

/// `crosstie message members`
struct MessageMembers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members",
        abstract: "Print a line of JSON for each process that has the group open."
    )

    @OptionGroup var group: GroupArguments

    func run() throws {
        for member in try group.find().members() where !member.isSelf {
            try Output.json(
                ValueMap([
                    ("pid", .int(Int64(member.pid))), ("name", .string(member.name)), ("since", .int(member.since)),
                ]))
        }
    }
}
