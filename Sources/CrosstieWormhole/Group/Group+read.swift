internal import Glibc

/// The records that a host's transport keeps are changed by others at any time; then a step is done again. In every
/// other store it is done once.
extension Group {
    /// Reads one state of the store. `body` is called again when the state has changed before it has all been read.
    @inline(__always)
    func read<Result>(
        _ body: (borrowing StoreTransaction) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        if wakeups.isMoved { try followMove(timeout: 5_000_000_000) }
        return try untilReconciled(timeout: 5_000_000_000) { () throws(CrosstieError) in
            let snapshot = try store.reading()
            return try body(snapshot)
        }
    }

    /// Repeats a step until no other process changes the records meanwhile.
    @inline(__always)
    func untilReconciled<Result>(
        timeout: UInt64, _ body: () throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let outer = hostMembers?.transport.beginStep(timeout)
        defer { if let outer { HostCalls.end(outer) } }
        var patience = Patience(timeout)
        while true {
            do throws(CrosstieError) {
                return try body()
            } catch {
                guard error.status == .conflict, hostMembers != nil else { throw error }
            }
            try patience.wait()
        }
    }
}

extension Group {
    /// The time and the pauses for retrying a step that conflicts with others.
    private struct Patience {
        private let timeout: UInt64
        private var end: UInt64?
        private var count = 0

        init(_ timeout: UInt64) { self.timeout = timeout }

        /// Pauses, longer each time, with a random part, so that two conflicting processes do not repeat in step.
        @inline(never)
        mutating func wait() throws(CrosstieError) {
            let now = Clock.now()
            // Not past the deadline of the call on a host's transport.
            let end = end ?? min(now &+ timeout, ThreadSlot.current.callDeadline)
            self.end = end
            guard now < end else { throw .late("others have been changing the records", timeout) }
            let longest = min(50_000 << min(count, 7), Int(clamping: end &- now))
            count += 1
            Clock.sleep(nanoseconds: longest / 2 + Int.random(in: 0...longest / 2))
        }
    }
}
