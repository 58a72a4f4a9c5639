/// A transport for a group's messages, for one wormhole, its listeners and their thread.
///
/// ``RecordTransport`` works on a store of records: in a directory, in memory, or kept by a host's own functions.
/// ``EngineTransport`` is a host's own message system, with feeds of its own.
protocol Transport: AnyObject {
    // MARK: Options

    /// Of messages whose senders do not say.
    var sendDefaults: SendDefaults { get }

    /// The time of a call in nanoseconds, if functions of a host are called in it; else nil.
    var hostTimeout: UInt64? { get }

    /// The functions that it supports, and what they promise.
    var abilities: Wormhole.Abilities { get }

    // MARK: Messages

    /// Makes changes in one step, all or none, in their order, and notifies the listeners.
    func write(_ changes: UnsafeBufferPointer<Change>) throws(CrosstieError) -> Receipt

    /// The same for changes with a host's token: they are made once, however often they are written.
    func write(_ changes: [Change], _ token: StepToken) throws(CrosstieError) -> Receipt

    /// The number of living processes that a change has woken; costs a system call or more for each.
    func countProcesses(_ receipt: Receipt) -> UInt32

    /// The current message of an identifier; nil if there is none.
    func message(_ identifier: Identifier) throws(CrosstieError) -> Message?

    /// The identifiers that have a message and that a topic covers, in the order of their bytes.
    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String]

    /// The members of the group, in the order in which they joined.
    func members() throws(CrosstieError) -> [Wormhole.Member]

    /// Schedules messages for a time, in nanoseconds since 1970-01-01 UTC: all or none. Returns the number of the first
    /// one; they follow each other.
    func schedule(_ changes: [Change], until due: UInt64, _ token: StepToken?) throws(CrosstieError) -> UInt64

    /// The scheduled messages under a topic, in the order of times.
    func scheduled(_ topic: Topic) throws(CrosstieError) -> [Wormhole.Scheduled]

    /// Removes a message that waits. False if there is none of that number.
    func cancelScheduled(_ number: UInt64) throws(CrosstieError) -> Bool

    // MARK: Listeners

    /// The source of a listener's messages.
    func feed(_ topic: Topic, _ options: ListenOptions) -> any Feed

    /// The same for a listener to the members of the group.
    func memberFeed(_ options: ListenOptions) -> any Feed

    /// Creates a durable consumer, or finds it with the same options; throws *conflict* if they differ and may not change.
    func declare(
        _ key: CursorKey, _ options: DurableOptions, fromOldest: Bool, mayChange: Bool
    ) throws(CrosstieError)

    /// The durable consumers, in the order of names.
    func durables() throws(CrosstieError) -> [Wormhole.Durable]

    /// Moves a durable consumer. False if there is none.
    func seek(_ key: CursorKey, to start: QueueStart) throws(CrosstieError) -> Bool

    /// Removes a durable consumer. False if there is none.
    func forget(_ key: CursorKey) throws(CrosstieError) -> Bool

    /// Dead letters of a durable consumer after a number, in the order of their numbers.
    func deadLetters(of key: CursorKey, after: UInt64, limit: Int) throws(CrosstieError) -> [Wormhole.DeadLetter]

    /// A dead letter with its value; nil if there is none of that number.
    func deadLetter(_ sequence: UInt64, of key: CursorKey) throws(CrosstieError) -> Message?

    /// Puts a dead letter back or removes it; for nil, all of them. Counts them, also if it fails in the middle.
    func resolveDeadLetters(
        _ action: DeadLetterAction, _ sequence: UInt64?, of key: CursorKey, count: inout UInt64
    ) throws(CrosstieError)

    /// Starts or stops notifying this wormhole of messages under a topic. Each start has one stop.
    func listen(to topic: Topic, _ isListening: Bool)

    /// Records that its queue listeners have consumed everything up to a number.
    func noteQueuesConsumed(_ sequence: UInt64)

    // MARK: Their thread

    /// Wakes the thread, or keeps it from sleeping.
    func nudge()

    /// The mark for ``sleep(since:until:)``. Take it before you look for new messages.
    func mark() -> WakeMark

    /// Watches for a moment whether it is notified, if that is likely after a delivery to a listener of this hash.
    func isNotifiedSoon(since mark: WakeMark, hash: UInt64) -> Bool

    /// Sleeps until it is notified, or `time`, by the clock of ``Clock/now()``, or a second has passed; not at all if
    /// it has been notified since.
    func sleep(since mark: WakeMark, until time: UInt64)

    /// Sends the messages that are due. Returns the time of the next look by the clock of ``Clock/now()``; the largest number
    /// for never.
    func heedTimer() -> UInt64

    /// The sequence number up to which listeners look now. For the thread alone.
    func sequence() throws(CrosstieError) -> UInt64

    /// The changes after one number and up to another.
    func changes(after consumed: UInt64, upTo sequence: UInt64) -> Changes

    /// Whether a message below a prefix may have changed after a number, as far as is known.
    func hasChanged(below prefix: Topic, after consumed: UInt64) -> Bool

    /// A count that changes when messages of any durable consumer are freed.
    var givenBackCount: UInt64 { get }

    /// Frees the locks, slots and messages of dead processes. About once a second.
    func tend()

    /// Claims a slot for this member again, with all its topics, if other processes have taken it for dead. After
    /// ``tend()``.
    func enterAgainIfLost(_ list: any ListenerList)

    /// Whether the group has moved to other files since ``followMove(_:)``.
    var hasMoved: Bool { get }

    /// Registers all topics of this member there.
    func followMove(_ list: any ListenerList)

    // MARK: Closing

    /// Makes senders that wait for room give up.
    func beginClosing()

    /// Closes the transport. Called once, when nothing uses it any more.
    func close()
}
