internal import Glibc

/// The monotonic clock, in nanoseconds.
package enum Clock {
    /// The deadline of what has none.
    package static var never: UInt64 { .max }

    /// The deadline that lies so many milliseconds ahead; none for a negative number.
    package static func deadline(milliseconds: Int64) -> UInt64 {
        guard milliseconds >= 0 else { return never }
        let (span, overflow) = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let (deadline, isPast) = now().addingReportingOverflow(span)
        return overflow || isPast ? never : deadline
    }

    /// Precise; for waiting.
    package static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

    package static func sleep(nanoseconds: Int) {
        var time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        nanosleep(&time, nil)
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }
}
