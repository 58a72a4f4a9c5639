import Crosstie
@preconcurrency import Glibc

/// A process that has groups open.
struct GroupProcess {
    let pid: Int32
    let name: String
    /// The earliest moment in nanoseconds since 1970.
    var since: Int64
    var groups: [String] = []
    var systemGroups: [String] = []

    static let heading = columns("PID", "UID", "SINCE", "NAME", "GROUPS")

    /// The user of the process; nil if this process cannot see it.
    private var user: uid_t? {
        var about = stat()
        return stat("/proc/\(pid)", &about) == 0 ? about.st_uid : nil
    }

    var map: ValueMap {
        func texts(_ names: [String]) -> Value { .list(names.map { .string($0) }) }
        return ValueMap([
            ("pid", .int(Int64(pid))), ("name", .string(name)), ("uid", user.map { .int(Int64($0)) } ?? .null),
            ("since", .int(since)), ("groups", texts(groups)), ("system_groups", texts(systemGroups)),
        ])
    }

    var line: String {
        let all = groups + systemGroups.map { $0 + " (system)" }
        return GroupProcess.columns(
            "\(pid)", user.map { "\($0)" } ?? "-", GroupProcess.time(since), name, all.joined(separator: ", ")
        ).harmless
    }

    /// The local time.
    static func time(_ nanoseconds: Int64) -> String {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "-" }
        var text = [CChar](repeating: 0, count: 32)
        let size = strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: text.prefix(size).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func columns(
        _ pid: String, _ user: String, _ since: String, _ name: String, _ groups: String
    ) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return [padded(pid, 8), padded(user, 6), padded(since, 20), padded(name, 16), groups].joined(separator: " ")
    }
}
