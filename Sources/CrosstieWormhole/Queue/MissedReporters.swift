/// The choice of the one listener of a member that reports a durable consumer's missed messages. The store knows the
/// member only, and while a listener is replaced under its name the member has two: the second one reports after the
/// first has ended.
final class MissedReporters {
    private let lock = Lock()
    private var reporters: [[UInt8]: Reporter] = [:]

    private struct Reporter {
        let feed: ObjectIdentifier
        /// Called when another listener may report.
        var nudges: [() -> Void] = []
    }

    deinit { lock.free() }

    /// Whether a feed may report. Else `nudge` is called when it may.
    func mayReport(_ key: CursorKey, _ feed: DurableFeed, nudge: @escaping () -> Void) -> Bool {
        lock.with {
            guard let reporter = reporters[key.bytes], reporter.feed != ObjectIdentifier(feed) else {
                if reporters[key.bytes] == nil { reporters[key.bytes] = Reporter(feed: ObjectIdentifier(feed)) }
                return true
            }
            reporters[key.bytes]?.nudges.append(nudge)
            return false
        }
    }

    /// Ends all reports.
    func close() { lock.with { reporters = [:] } }

    /// Notes that a feed no longer reports, and that the store knows its last report.
    func end(_ key: CursorKey, _ feed: DurableFeed) {
        let nudges = lock.with { () -> [() -> Void] in
            guard let reporter = reporters[key.bytes], reporter.feed == ObjectIdentifier(feed) else { return [] }
            reporters[key.bytes] = nil
            return reporter.nudges
        }
        for nudge in nudges { nudge() }
    }
}
