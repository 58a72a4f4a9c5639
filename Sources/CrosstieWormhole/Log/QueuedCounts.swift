/// The messages that this process has queued for each interest since it was the last to count. Known as long as no
/// other process queues anything; this saves a search of the log. Guarded by the writers' lock.
final class QueuedCounts {
    private var table: InterestTable?
    private var counts: [LogTail] = []
    /// Of what comes after this number, and up to the other one, everything is counted here.
    private var begin: UInt64 = 0
    private var end: UInt64 = 0
    /// Whether a step is being added, or was dropped in the middle.
    private var isUnfinished = false
    /// Whether a step has been added that is not committed yet.
    private var isPending = false

    /// Continues with a step whose first message has a number; starts from there if other processes have queued
    /// something or the interests have changed.
    @inline(__always)
    func follow(_ table: InterestTable, with first: UInt64) {
        if isUnfinished || table !== self.table || end &+ 1 != first { beginAnew(table, after: first &- 1) }
        isUnfinished = true
        isPending = true
    }

    @inline(never)
    private func beginAnew(_ table: InterestTable, after number: UInt64) {
        self.table = table
        counts = [LogTail](repeating: LogTail(), count: table.interests.count)
        (begin, end) = (number, number)
    }

    /// Counts a change for the interest at a position, whose hash is that of the change.
    @inline(__always)
    func add(_ change: borrowing Change, at position: Int) {
        guard let table, position < counts.count else { return }
        // Another topic may have the same hash.
        if let identifier = change.identifier, !table.interests[position].topic.covers(identifier.bytes) { return }
        counts[position].index &+= 1
        counts[position].total &+= UInt64(clamping: change.valueSize)
    }

    /// Up to this number everything has been added.
    @inline(__always)
    func finish(at number: UInt64) {
        end = number
        isUnfinished = false
    }

    /// Marks the added messages as committed.
    @inline(__always)
    func commit() { isPending = false }

    /// A transaction has been dropped, and with it the messages added in it.
    func withdraw() {
        if isPending { table = nil }
        isPending = false
    }

    /// The messages queued for the interest at a position after a number, up to another one; nil if not known.
    func known(_ table: InterestTable, at position: Int, after: UInt64, upTo newest: UInt64) -> LogTail? {
        let isKnown = !isUnfinished && table === self.table && begin == after && end == newest
        return isKnown && position < counts.count ? counts[position] : nil
    }

    /// Returns the messages after a number up to another one, which are counted now; nil if not known.
    func take(_ table: InterestTable, after number: UInt64, upTo newest: UInt64) -> [LogTail]? {
        defer { beginAnew(table, after: newest) }
        return table === self.table && begin == number && end == newest ? counts : nil
    }
}
