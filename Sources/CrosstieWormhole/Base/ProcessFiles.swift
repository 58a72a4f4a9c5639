internal import Glibc

/// The information about processes in `/proc`.
enum ProcessFiles {
    struct State {
        let start: UInt64
        /// Whether the process has ended, although its parent has not reaped it.
        let isDead: Bool
    }

    /// The inode of this process's PID namespace; 0 when `/proc` numbers processes in another way.
    static func ownNamespace() -> UInt64 {
        var status = stat()
        let numbered = Boot.read("/proc/self/stat").prefix { $0 != UInt8(ascii: " ") }
        guard numbered.elementsEqual(String(getpid()).utf8), stat("/proc/self/ns/pid", &status) == 0 else { return 0 }
        return UInt64(status.st_ino)
    }

    /// The state of a process; nil when there is none of that number.
    static func state(of process: String) -> State? {
        let text = Boot.read("/proc/\(process)/stat")
        // The name, in parentheses, may hold anything; the fields are counted from 3 on behind it (proc_pid_stat(5)).
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[text.index(after: end)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let start = number(fields[19]) else { return nil }
        let isZombie = fields[0].first.map { $0 == UInt8(ascii: "Z") || $0 == UInt8(ascii: "X") } ?? false
        // A first thread that has ended looks like a zombie while others live.
        return State(start: start, isDead: isZombie && number(fields[17]) ?? 1 <= 1)
    }

    private static func number(_ field: ArraySlice<UInt8>) -> UInt64? { UInt64(String(decoding: field, as: UTF8.self)) }
}
