internal import Glibc

/// The time of day.
enum WallTime {
    /// Nanoseconds since 1970-01-01 UTC.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }
}
