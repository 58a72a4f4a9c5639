import Synchronization

/// The time of the next scheduled message. All listening threads know it. One of them, the *timekeeper*, wakes for it;
/// the others wake somewhat later, in case that one is stopped or busy.
extension Wakeups {
    /// Nanoseconds since 1970-01-01 UTC; ``DueTimes/unknown``, ``DueTimes/never``. Made later with the writers' lock held.
    @inline(__always)
    var dueTime: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.dueTimeOffset) }

    private var timekeeper: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.timekeeperOffset) }

    /// Notes that a message is due at a time. Before it is committed, with the writers' lock held. True if that is earlier
    /// than was known.
    func noteDue(_ time: UInt64) -> Bool {
        let known = dueTime.pointee.load(ordering: .relaxed)
        guard known != DueTimes.unknown, time < known else { return known == DueTimes.unknown }
        dueTime.pointee.store(time, ordering: .sequentiallyConsistent)
        return true
    }

    /// Makes the due time unknown, so that the store is read.
    func forgetDueTime() { dueTime.pointee.store(DueTimes.unknown, ordering: .relaxed) }

    /// The members to notify of a time that is earlier than the known one.
    var timekeepers: MemberMask {
        let keeper = timekeeper.pointee.load(ordering: .relaxed)
        return keeper == 0 || keeper > UInt64(WakeupsLayout.memberCapacity) ? everybody : MemberMask(Int(keeper &- 1))
    }

    /// Whether a slot is the timekeeper; it becomes that if there is none.
    func keepsTime(_ slot: Int) -> Bool {
        let (done, seen) = timekeeper.pointee.compareExchange(
            expected: 0, desired: UInt64(slot) &+ 1, ordering: .relaxed)
        return done || seen == UInt64(slot) &+ 1
    }

    /// Makes a slot the timekeeper in place of another, which is late.
    func takeTimekeeping(_ slot: Int) { timekeeper.pointee.store(UInt64(slot) &+ 1, ordering: .relaxed) }

    /// Notes that a slot is the timekeeper no more. True if it was.
    func endTimekeeping(_ slot: Int) -> Bool {
        timekeeper.pointee.compareExchange(expected: UInt64(slot) &+ 1, desired: 0, ordering: .relaxed).exchanged
    }
}
