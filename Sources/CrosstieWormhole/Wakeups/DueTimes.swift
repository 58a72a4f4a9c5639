/// The special values of ``Wakeups/dueTime``.
enum DueTimes {
    /// The store has to be read.
    static var unknown: UInt64 { 0 }
    static var never: UInt64 { .max }
    static var now: UInt64 { UInt64(max(WallClock.now(), 1)) }
    /// The time after the timekeeper's at which others send due messages.
    static var grace: UInt64 { 100_000_000 }
}
