@preconcurrency import Glibc

/// A moment by the clock that never jumps.
struct Deadline {
    private let end: Int

    init(milliseconds: Int) { end = Deadline.now + milliseconds }

    /// The milliseconds left, for poll(2).
    var milliseconds: Int32 { Int32(clamping: max(0, end - Deadline.now)) }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
