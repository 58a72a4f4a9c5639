import Synchronization

/// The wait of a sender for a durable consumer that is full. It holds no lock and does not poll: the process that makes
/// room notifies it.
struct RoomWait {
    private let group: Group
    private let end: UInt64
    private var mark: UInt32 = 0

    init(_ group: Group, timeout: UInt64) {
        self.group = group
        end = ThreadSlot.current.end(of: timeout)
    }

    /// Bounded, because the process that made room may have died before notifying, or have used other wakeups.
    private static var longestSleep: UInt64 { 1_000_000_000 }
    /// The bound if other processes share no wakeups with this one.
    private static var longestHostSleep: UInt64 { 50_000_000 }

    /// Before looking whether there is room.
    mutating func begin() { mark = group.wakeups.roomMark }

    /// Sleeps until there may be room.
    /// - Throws: *queueFull* if it is too late, *closed* if the wormhole is being closed, *cancelled* if the host does
    ///   not want this thread to wait.
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
