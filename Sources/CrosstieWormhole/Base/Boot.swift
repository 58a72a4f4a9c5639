internal import Glibc

/// The identity of this boot of the machine, as the kernel reports it.
enum Boot {
    /// The identity of the boot; zeros if the kernel does not report it.
    static func identity() -> (UInt64, UInt64) {
        let digits = read("/proc/sys/kernel/random/boot_id").compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        let words = [0, 16].map { start in
            digits.dropFirst(start).prefix(16).reduce(UInt64(0)) { $0 << 4 | UInt64(truncatingIfNeeded: $1) }
        }
        return (words[0], words[1])
    }

    /// The first 4 KiB of a file; nothing when there is none.
    static func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return Array(unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
        }
    }
}
