internal import Glibc

/// What the kernel says about this boot of the machine and this process.
enum Boot {
    /// The identity of the boot; zeros where the kernel does not tell.
    static func identity() -> (UInt64, UInt64) {
        let digits = read("/proc/sys/kernel/random/boot_id").compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        let words = [0, 16].map { start in
            digits.dropFirst(start).prefix(16).reduce(UInt64(0)) { $0 << 4 | UInt64(truncatingIfNeeded: $1) }
        }
        return (words[0], words[1])
    }

    /// When a process started, in clock ticks since the boot; nil when there is none of that number.
    static func startTime(of process: Int32) -> UInt64? {
        let text = read("/proc/\(process)/stat")
        // The name, in parentheses, may hold anything; the 22nd field is the 20th after it.
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[text.index(after: end)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    private static func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return Array(unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
        }
    }
}
