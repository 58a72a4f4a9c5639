/// The special values of ``Wakeups/dueTime``.
enum DueTimes {
    /// The store has to be read.
    static var unknown: UInt64 { 0 }
    static var never: UInt64 { .max }
    static var now: UInt64 { UInt64(max(WallClock.now(), 1)) }
    /// So much later than the timekeeper others see to what is due.
    static var grace: UInt64 { 100_000_000 }
}
