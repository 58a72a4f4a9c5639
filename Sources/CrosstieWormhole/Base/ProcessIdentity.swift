internal import Glibc

/// A process, as others on this machine can look for it.
struct ProcessIdentity: Equatable {
    /// Its number in its own namespace.
    let pid: Int32
    /// When it started, in clock ticks since the boot.
    let start: UInt64
    /// The inode of its PID namespace; 0 if its `/proc` is missing or belongs to another namespace.
    let namespace: UInt64

    /// This process.
    static func own() -> ProcessIdentity {
        ProcessIdentity(
            pid: getpid(), start: ProcessFiles.state(of: "self")?.start ?? 0, namespace: ProcessFiles.ownNamespace())
    }

    /// Whether the kernel says that the process has ended. A process of another namespace cannot be looked up: another
    /// process may have its number here.
    func isKnownDead(from namespace: UInt64) -> Bool {
        guard namespace != 0, namespace == self.namespace else { return false }
        guard let state = ProcessFiles.state(of: "\(pid)") else { return true }
        return state.start != start || state.isDead
    }
}
