import Synchronization

/// The log of one wormhole. A line may be written with any lock held: it waits until a thread that holds none delivers
/// it to the host.
package final class WormholeLog: @unchecked Sendable {
    private let whenOver: () -> Void
    private let lock = Lock()
    // Guarded by the lock.
    /// Nil once there will be no more lines.
    private var function: ((LogLevel, String) -> Void)?
    private var waiting: [(level: LogLevel, line: String)] = []
    private let isWaiting = Atomic(false)

    /// The limit of waiting lines for a wormhole without calls; beyond it the oldest are dropped.
    private static var maximumWaiting: Int { 64 }

    /// - Parameter end: runs once, after the last line, or when the opening fails.
    package init(_ function: @escaping (LogLevel, String) -> Void, end: @escaping () -> Void = {}) {
        self.function = function
        whenOver = end
    }

    deinit { lock.free() }

    /// Queues a line for the log, unless the wormhole has closed.
    func write(_ level: LogLevel, _ line: String) {
        lock.with {
            if function == nil { return }
            if waiting.count >= WormholeLog.maximumWaiting { waiting.removeFirst() }
            waiting.append((level, line))
            isWaiting.store(true, ordering: .relaxed)
        }
    }

    @inline(__always)
    var hasLines: Bool { isWaiting.load(ordering: .relaxed) }

    /// Delivers the waiting lines to the host, as inside a callback. With no lock held, and the wormhole in use.
    func flush() {
        let (function, lines) = lock.with {
            let lines = waiting
            waiting = []
            isWaiting.store(false, ordering: .relaxed)
            return (self.function, lines)
        }
        guard let function else { return }
        for (level, line) in lines {
            ThreadSlot.current.withCallback { function(level, line) }
        }
    }

    var hasEnded: Bool { lock.with { function == nil } }

    /// There will be no more lines.
    package func end() {
        // Released after the lock.
        let last = lock.with {
            let last = function
            function = nil
            return last
        }
        if last != nil { whenOver() }
    }
}
