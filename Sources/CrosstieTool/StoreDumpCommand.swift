import ArgumentParser
import CrosstieWormhole
@preconcurrency import Glibc

/// `crosstie store dump`
struct StoreDumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Print a line of JSON for each record.",
        discussion: """
            The dump is one state of the group, also while others write. 'restore' creates a group from it. It contains every \
            message that is kept: protect it from other readers.
            """
    )

    @OptionGroup var group: GroupArguments

    func run() throws {
        _ = try StoreCare.dump(group.group, group.options, write: StoreDumpCommand.write)
        guard fflush(stdout) == 0 else { throw Refusal("stdout: \(String(cString: strerror(errno)))") }
    }

    /// Lines are written many at a time.
    private static func write(_ line: String) throws(CrosstieError) {
        guard fputs(line, stdout) >= 0, putc(Int32(UInt8(ascii: "\n")), stdout) >= 0 else {
            throw CrosstieError(.systemFailure, "stdout: \(String(cString: strerror(errno)))")
        }
    }
}
