import Crosstie
import CrosstieWormhole
@preconcurrency import Glibc

/// A directory among those in which this user's processes find groups by name.
struct GroupDirectoryEntry {
    let group: String
    let isSystem: Bool

    /// The groups with process durability, then those with system durability, by name.
    static var all: [GroupDirectoryEntry] {
        let runtime = Environment.path("XDG_RUNTIME_DIR").map { $0 + "/crosstie" }
        let temporary = (Environment.path("TMPDIR") ?? "/tmp") + "/crosstie-\(geteuid())"
        let state = Environment.path("XDG_STATE_HOME") ?? Environment.path("HOME").map { $0 + "/.local/state" }
        let system = state.map { names(in: $0 + "/crosstie") } ?? []
        return names(in: runtime ?? temporary).map { GroupDirectoryEntry(group: $0, isSystem: false) }
            + system.map { GroupDirectoryEntry(group: $0, isSystem: true) }
    }

    /// Opens the group if it exists.
    func open() throws(CrosstieError) -> Wormhole {
        var options = WormholeOptions()
        options.mustExist = true
        if isSystem { options.durability = .system }
        options.log = { _, line in Output.complain("crosstie: \(line)") }
        return try Wormhole(group, options: options)
    }

    private static func names(in directory: String) -> [String] {
        WholeFile.names(in: directory).filter { !$0.hasPrefix(".") }.sorted()
    }
}
