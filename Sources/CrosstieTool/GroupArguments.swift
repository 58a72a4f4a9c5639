import ArgumentParser
import CrosstieWormhole

/// The group of a command.
struct GroupArguments: ParsableArguments {
    @Argument(help: "The group's name.")
    var group: String

    @Option(help: "The group's directory; by default the one that this user's processes find by the name.")
    var directory: String?

    @Flag(help: "The group of that name with system durability, which has another directory.")
    var system = false

    /// Opens the group, and creates it if it does not exist.
    func open() throws(CrosstieError) -> Wormhole { try Wormhole(group, options: options) }

    /// Opens the group if it exists.
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
