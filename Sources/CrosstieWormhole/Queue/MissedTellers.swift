/// Which listener of one opening tells of what a durable consumer has missed. The store knows the opening only, and where a
/// listener is replaced under its name there are two of it for a while: the second one tells when the first has ended.
final class MissedTellers {
    private let lock = Lock()
    private var tellers: [[UInt8]: Teller] = [:]

    private struct Teller {
        let feed: ObjectIdentifier
        /// Has those looked after that have asked in vain.
        var nudges: [() -> Void] = []
    }

    deinit { lock.free() }

    /// Whether a feed may tell. Else `nudge` is called when it may.
    func mayTell(_ key: CursorKey, _ feed: DurableFeed, nudge: @escaping () -> Void) -> Bool {
        lock.with {
            guard let teller = tellers[key.bytes], teller.feed != ObjectIdentifier(feed) else {
                if tellers[key.bytes] == nil { tellers[key.bytes] = Teller(feed: ObjectIdentifier(feed)) }
                return true
            }
            tellers[key.bytes]?.nudges.append(nudge)
            return false
        }
    }

    /// Nobody tells any more.
    func close() { lock.with { tellers = [:] } }

    /// Notes that a feed tells of nothing any more, and that the store knows what it has told.
    func end(_ key: CursorKey, _ feed: DurableFeed) {
        let nudges = lock.with { () -> [() -> Void] in
            guard let teller = tellers[key.bytes], teller.feed == ObjectIdentifier(feed) else { return [] }
            tellers[key.bytes] = nil
            return teller.nudges
        }
        for nudge in nudges { nudge() }
    }
}
