/// Which listener of one opening tells of what a durable consumer has missed. The store knows the opening only, and where a
/// listener is replaced under its name there are two of it for a while: the second one tells when the first has ended.
final class MissedReporters {
    private let lock = Lock()
    private var reporters: [[UInt8]: Reporter] = [:]

    private struct Reporter {
        let feed: ObjectIdentifier
        /// Has those looked after that have asked in vain.
        var nudges: [() -> Void] = []
    }

    deinit { lock.free() }

    /// Whether a feed may tell. Else `nudge` is called when it may.
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

    /// Nobody tells any more.
    func close() { lock.with { reporters = [:] } }

    /// Notes that a feed tells of nothing any more, and that the store knows what it has told.
    func end(_ key: CursorKey, _ feed: DurableFeed) {
        let nudges = lock.with { () -> [() -> Void] in
            guard let reporter = reporters[key.bytes], reporter.feed == ObjectIdentifier(feed) else { return [] }
            reporters[key.bytes] = nil
            return reporter.nudges
        }
        for nudge in nudges { nudge() }
    }
}
