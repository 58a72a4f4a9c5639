/// After how long messages of a group expire, and for how long they wait, when their senders do not say; 0: never, and
/// not at all.
struct SendDefaults {
    var expiresMilliseconds: UInt64 = 0
    var delayMilliseconds: UInt64 = 0

    var isKnown: Bool { delayMilliseconds <= SendOptions.longestDelay }

    var isPlain: Bool { expiresMilliseconds == 0 && delayMilliseconds == 0 }

    /// The expiry time of a message with this earliest delivery: 0 for never.
    func expiry(_ chosen: SendOptions.Expiry = .byDefault, from begin: Int64) -> Int64 {
        let milliseconds: UInt64 =
            switch chosen {
            case .byDefault: expiresMilliseconds
            case .never: 0
            case .after(let milliseconds): milliseconds
            }
        guard milliseconds > 0 else { return 0 }
        let (span, isTooLong) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isTooLong, let span = Int64(exactly: span) else { return 0 }
        let (time, isOver) = begin.addingReportingOverflow(span)
        return isOver ? 0 : time
    }

    /// The earliest delivery of a scheduled message; otherwise nil.
    func begin(_ chosen: SendOptions.Begin, now: Int64) throws(CrosstieError) -> Int64? {
        let milliseconds: UInt64
        switch chosen {
        case .now: return nil
        case .at(let time): return time > now ? time : nil
        case .byDefault: milliseconds = delayMilliseconds
        case .after(let chosen): milliseconds = chosen
        }
        guard milliseconds > 0 else { return nil }
        try SendOptions.check(delayMilliseconds: milliseconds)
        let (time, isOver) = now.addingReportingOverflow(Int64(clamping: milliseconds) &* 1_000_000)
        return isOver ? .max : time
    }
}
