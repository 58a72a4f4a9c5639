/// The options of a store that the process that creates the group decides. It stands in the bells, for all who open it
/// later.
struct StoreLimits {
    /// Bytes to which the store may grow.
    var mapSize: UInt64
    /// The most messages kept for queues that have not consumed them.
    var queuedCount: UInt64
    /// Bytes that they take at most.
    var queuedSize: UInt64
    /// For queues that nobody has yet: nanoseconds, messages, bytes; 0 in all of them where nothing is kept.
    var retainAge: UInt64 = 0
    var retainCount: UInt64 = 0
    var retainSize: UInt64 = 0
    /// Of messages whose senders do not say.
    var sending = SendDefaults()

    /// Whether messages are queued that nobody wants yet.
    @inline(__always)
    var retains: Bool { retainSize > 0 }
}
