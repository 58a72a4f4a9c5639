/// The messages that a group keeps for queues that do not exist yet: the newest ones, within limits of age, number and
/// size.
struct Retention {
    /// Nanoseconds since 1970 UTC: older messages are removed.
    private let begin: Int64
    private let limits: StoreLimits
    private let tail: LogTail

    /// Nil where nothing is kept.
    /// - Parameter tail: the log's counts at its end.
    init?(_ limits: StoreLimits, tail: LogTail) {
        guard limits.retains else { return nil }
        begin = WallClock.now() &- Int64(clamping: limits.retainAge)
        self.limits = limits
        self.tail = tail
    }

    /// Whether a block is among them, by its last message.
    func keeps(_ block: LogBlock) -> Bool {
        block.time >= begin && tail.index &- block.tail.index < limits.retainCount
            && tail.total &- block.tail.total < limits.retainSize
    }
}
