import ArgumentParser
import CrosstieWormhole
@preconcurrency import Glibc

/// `crosstie store dump`
struct StoreDumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Print a line of JSON for each record.",
        discussion: """
            It is one state of the group, whatever others write meanwhile. 'restore' makes a group of it. The lines hold \
            every message that is kept: mind who can read them.
            """
    )

    @OptionGroup var group: GroupPlace

    func run() throws {
        _ = try StoreCare.dump(group.group, group.options, write: StoreDumpCommand.write)
        guard fflush(stdout) == 0 else { throw Refusal("stdout: \(String(cString: strerror(errno)))") }
    }

    /// Many lines go together.
    private static func write(_ line: String) throws(CrosstieError) {
        guard fputs(line, stdout) >= 0, putc(Int32(UInt8(ascii: "\n")), stdout) >= 0 else {
            throw CrosstieError(.systemFailure, "stdout: \(String(cString: strerror(errno)))")
        }
    }
}
