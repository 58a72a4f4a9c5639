/// The logs of the wormholes of this process that share a group.
final class GroupLogs {
    private let lock = Lock()
    private var logs: [WormholeLog] = []

    deinit { lock.free() }

    /// Those that have ended go.
    func add(_ log: WormholeLog?) {
        lock.with {
            logs.removeAll { $0.hasEnded }
            if let log { logs.append(log) }
        }
    }

    func write(_ level: LogLevel, _ line: String) {
        lock.with { for log in logs { log.write(level, line) } }
    }
}
