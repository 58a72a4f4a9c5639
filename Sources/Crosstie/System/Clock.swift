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

    /// The nanoseconds of a span. One beyond the range of the clock is as long as the range.
    package static func nanoseconds(milliseconds: UInt64) -> UInt64 {
        let (product, isTooLong) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        return isTooLong ? UInt64(Int64.max) : product
    }

    /// The milliseconds of a span; one that has begun counts, so that only a span of 0 has none.
    package static func milliseconds(nanoseconds: UInt64) -> UInt64 {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest == 0 ? whole : whole &+ 1
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
