/// The source of a listener's messages. One thread at a time collects.
protocol Feed: AnyObject {
    /// Registers the listener in the store; it misses nothing from here on. The wakeups know it already.
    func start() throws(CrosstieError)

    /// Takes it back. Once, after the last call, with no lock held.
    func end()

    /// Collects the next messages to deliver. The batch says whether there is more.
    func collect(into batch: inout Batch) throws(CrosstieError)

    /// Sets the callback that has it looked after when something has been answered. Before it starts.
    func connect(nudge: @escaping () -> Void)

    /// A message of the last batch has been delivered.
    func didDeliver(_ message: Message)

    /// Everything up to a number has been looked at, and only the delivered messages concerned the listener.
    func skip(to sequence: UInt64)

    /// Queue: the number up to which it needs nothing more of the log; nil for others.
    var queueConsumed: UInt64? { get }

    /// Whether it delivers every message, so that there may be many.
    var isQueue: Bool { get }

    /// Whether it has left something in the log until its listener answers.
    var isHeldBack: Bool { get }

    /// Whether it ever has a ``wakeTime``.
    var isTimed: Bool { get }

    /// The time to look again without a notification, by the clock of ``Clock/now()``; the largest number for never.
    var wakeTime: UInt64 { get }
}

extension Feed {
    func end() {}
    func connect(nudge: @escaping () -> Void) {}
    func didDeliver(_ message: Message) {}
    func skip(to sequence: UInt64) {}
    var queueConsumed: UInt64? { nil }
    var isQueue: Bool { false }
    var isHeldBack: Bool { false }
    var isTimed: Bool { false }
    var wakeTime: UInt64 { .max }
}
