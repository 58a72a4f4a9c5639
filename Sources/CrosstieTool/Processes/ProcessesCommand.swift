import ArgumentParser
import Crosstie
import CrosstieWormhole

/// `crosstie ps`: the processes of groups.
struct ProcessesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps",
        abstract: "Print the processes that have groups of this user open.",
        discussion: """
            While the command reads a group, it is a member itself, which it does not print. The exit status is 69 if a group \
            that is named does not exist, and 1 if a group cannot be read.
            """
    )

    @Argument(help: "A group's name; by default all groups of this user.")
    var group: String?

    @Flag(help: "Print a line of JSON for each process.")
    var json = false

    func run() throws {
        var entries = GroupDirectoryEntry.all
        if let group {
            entries = entries.filter { $0.group == group }
            guard !entries.isEmpty else {
                Output.complain("crosstie: there is no group '\(group)'")
                throw ExitCode(69)
            }
        }
        var isAnyUnread = false
        var members = GroupMembers()
        for entry in entries {
            do throws(CrosstieError) {
                try members.add(entry)
            } catch {
                if error.status == .notFound { continue }
                isAnyUnread = true
                Output.complain("crosstie: \(entry.group): \(error)")
            }
        }
        try show(members.processes)
        if isAnyUnread { throw ExitCode.failure }
    }

    private func show(_ processes: [GroupProcess]) throws {
        if json {
            for process in processes { try Output.json(process.map) }
        } else if !processes.isEmpty {
            try Output.line(GroupProcess.heading)
            for process in processes { try Output.line(process.line) }
        }
    }
}
