extension Duration {
    /// A span without an end: a deadline that never passes, a wait for as long as it takes.
    public static var forever: Duration { Duration(secondsComponent: .max, attosecondsComponent: 0) }

    /// A span of nanoseconds.
    package init(nanoseconds: UInt64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(
            secondsComponent: Int64(clamping: seconds), attosecondsComponent: Int64(clamping: rest) &* 1_000_000_000)
    }

    /// Whole milliseconds; one that has begun counts. 0 for a negative span, the largest number for one over 285 years.
    package var wholeMilliseconds: UInt64 { whole(in: 1000) }

    /// Whole nanoseconds, likewise.
    package var wholeNanoseconds: UInt64 { whole(in: 1_000_000_000) }

    private func whole(in unitsPerSecond: UInt64) -> UInt64 {
        // Below this bound neither the parts of a span nor their product leave their types.
        guard self < .seconds(9_000_000_000) else { return .max }
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let unit = 1_000_000_000_000_000_000 / unitsPerSecond
        return UInt64(clamping: seconds) &* unitsPerSecond &+ (UInt64(clamping: attoseconds) &+ (unit &- 1)) / unit
    }
}
