/// The options of a store that its creator decides. The wakeups keep them for all members.
struct StoreLimits {
    /// Bytes to which the store may grow.
    var mapSize: UInt64
    /// The most messages kept for queues that have not consumed them.
    var queuedCount: UInt64
    /// Bytes that they take at most.
    var queuedSize: UInt64
    /// For queues that do not exist yet: nanoseconds, messages, bytes; 0 in all of them if nothing is kept.
    var retainAge: UInt64 = 0
    var retainCount: UInt64 = 0
    var retainSize: UInt64 = 0
    /// Of messages whose senders do not say.
    var sending = SendDefaults()

    /// Whether messages are queued that no consumer needs yet.
    @inline(__always)
    var retains: Bool { retainSize > 0 }
}
