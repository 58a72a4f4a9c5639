import Synchronization

/// An upper bound of the messages that wait for the consumers with limits, known to this process without reading the
/// store: the number at the last look, plus everything queued since, for any consumer. Guarded by the writers' lock.
///
/// Only two other operations increase the number: moving a consumer, and putting back dead letters that are still ahead
/// of it. Both make the bounds stale.
final class BacklogBounds {
    private struct Look {
        let backlog: LogTail
        /// The last number that had been queued, and the bytes of all that ever had.
        let newest: UInt64
        let bytes: UInt64
    }

    private var table: InterestTable?
    /// By the indices of ``InterestTable/limited``.
    private var looks: [Look?] = []

    /// A transaction has been dropped in which something may have been noted.
    func forget() { table = nil }

    /// Resets when the consumers have been read again.
    @inline(__always)
    func follow(_ table: InterestTable) { if table !== self.table { beginAnew(table) } }

    @inline(never)
    private func beginAnew(_ table: InterestTable) {
        self.table = table
        looks = [Look?](repeating: nil, count: table.limited.count)
    }

    /// Whether a name has room for more, for all that is known, when everything up to a number has been queued.
    func allows(_ more: LogTail, _ index: Int, upTo newest: UInt64, _ wakeups: Wakeups, most: LogTail) -> Bool {
        guard index < looks.count, let look = looks[index] else { return false }
        let bytes = wakeups.queuedBytes.pointee.load(ordering: .relaxed)
        guard newest >= look.newest, bytes >= look.bytes else { return false }
        var backlog = LogTail(index: newest &- look.newest, total: bytes &- look.bytes)
        backlog.add(look.backlog)
        backlog.add(more)
        return !backlog.exceeds(most)
    }

    /// Notes how much waits for a name, when everything up to a number has been queued.
    func note(_ index: Int, _ backlog: LogTail, upTo newest: UInt64, _ wakeups: Wakeups) {
        guard index < looks.count else { return }
        let bytes = wakeups.queuedBytes.pointee.load(ordering: .relaxed)
        looks[index] = Look(backlog: backlog, newest: newest, bytes: bytes)
    }
}

extension LogTail {
    /// Counts a change, unless it makes room.
    @inline(__always)
    mutating func add(_ change: borrowing Change) {
        guard !change.makesRoom else { return }
        index &+= 1
        total &+= UInt64(clamping: change.valueSize)
    }

    /// The amount of the changes.
    static func of(_ changes: UnsafeBufferPointer<Change>) -> LogTail {
        var sum = LogTail()
        for index in changes.indices { sum.add(changes[index]) }
        return sum
    }
}

extension Wakeups {
    /// The bytes of all blocks that have ever been appended to the log, and of some that were not.
    @inline(__always)
    var queuedBytes: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.queuedBytesOffset) }

    /// Notes that a block is appended. Before it is committed, with the writers' lock held.
    @inline(__always)
    func noteAppended(_ size: Int) {
        let sum = queuedBytes.pointee.load(ordering: .relaxed) &+ UInt64(truncatingIfNeeded: size)
        queuedBytes.pointee.store(sum, ordering: .relaxed)
    }
}
