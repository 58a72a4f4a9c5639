import Synchronization

/// The wait of a sender for a durable consumer that is full. No lock is held, and nothing is asked again and again: whoever
/// makes room tells.
struct RoomWait {
    private let group: Group
    private let end: UInt64
    private var mark: UInt32 = 0

    init(_ group: Group, timeout: UInt64) {
        self.group = group
        end = Clock.now() &+ timeout
    }

    /// As long as who has made room may have died before telling of it, or have told of it in other bells.
    private static var longestSleep: UInt64 { 1_000_000_000 }
    /// The same where others share no bells with this process.
    private static var longestHostSleep: UInt64 { 50_000_000 }

    /// Before looking whether there is room.
    mutating func begin() { mark = group.wakeups.roomMark }

    /// Sleeps until there may be room.
    /// - Throws: *queueFull* when it is too late, *closed* when the wormhole is being closed, *cancelled* when the host does not
    ///   want this thread to wait.
    func sleep(_ hindrance: CrosstieError, isClosing: borrowing Atomic<Bool>) throws(CrosstieError) {
        let now = Clock.now()
        guard now < end else { throw CrosstieError(.queueFull, hindrance.message) }
        let slot = ThreadSlot.current
        let longest = group.hostMembers == nil ? RoomWait.longestSleep : RoomWait.longestHostSleep
        let span = min(end &- now, slot.longestSleep ?? longest, longest)
        if !isClosing.load(ordering: .sequentiallyConsistent) {
            group.wakeups.waitForRoom(since: mark, nanoseconds: span)
        }
        guard !isClosing.load(ordering: .sequentiallyConsistent) else {
            throw CrosstieError(.closed, "the wormhole is closed")
        }
        guard !slot.isWaitUnwanted() else {
            throw CrosstieError(.cancelled, "this thread's wait is not wanted: \(hindrance.message)")
        }
    }
}
