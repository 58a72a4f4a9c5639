internal import Glibc

/// Programs that were started and may have ended. No thread waits for them: they are asked after when the next one
/// is started and when the bus closes.
struct ChildProcesses {
    private var running: [pid_t] = []

    mutating func add(_ child: pid_t) {
        reap()
        running.append(child)
    }

    /// Lets the system forget those that have ended.
    mutating func reap() {
        running.removeAll { Program.state(of: $0) != .running }
    }
}
