internal import CPlatform
internal import Glibc

/// The monotonic clock, in nanoseconds.
package enum Clock {
    /// The deadline that means none.
    package static var never: UInt64 { .max }

    /// The deadline that lies so many milliseconds ahead; none for a negative number. A short span is measured
    /// precisely, a longer one from the last tick.
    @inline(__always)
    package static func deadline(milliseconds: Int64) -> UInt64 {
        guard milliseconds >= 0 else { return never }
        let (span, overflow) = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let start = milliseconds < precise ? now() : coarse()
        let (deadline, isPast) = start.addingReportingOverflow(span)
        return overflow || isPast ? never : deadline
    }

    /// Spans below so many milliseconds deserve the precise clock: a tick is 4 ms, or 10 where the kernel is set so.
    private static var precise: Int64 { 1000 }

    /// The most that the coarse clock is behind, unless the machine stopped: a virtual or busy processor gets its ticks
    /// late.
    package static var coarseLag: UInt64 { 100_000_000 }

    /// The time that the process's threads have worked.
    static func processorTime() -> UInt64 { cp_clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// Precise; for waiting. It costs 33 ns where the coarse one costs 6.
    package static func now() -> UInt64 { cp_clock_nanoseconds(CLOCK_MONOTONIC) }

    /// The time at the last tick of the kernel's clock.
    @inline(__always)
    package static func coarse() -> UInt64 { cp_clock_nanoseconds(CLOCK_MONOTONIC_COARSE) }

    package static func sleep(nanoseconds: Int) {
        var time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        nanosleep(&time, nil)
    }
}
