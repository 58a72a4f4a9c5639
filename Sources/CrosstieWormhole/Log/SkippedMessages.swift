/// The messages ahead of durable consumers on a prefix that these do not get: their dead letters, under an identifier
/// that the prefix covers. The consumers' limits do not count them. Known to this process from the log; guarded by the
/// writers' lock.
final class SkippedMessages {
    private var table: InterestTable?
    private var stretches: [[UInt8]: Stretch] = [:]

    /// The messages found after a number, up to another one.
    private struct Stretch {
        var begin: UInt64
        var end: UInt64
        /// The number of messages that had been removed from the log.
        var removed: UInt64 = 0
        var found: [(sequence: UInt64, size: Int)] = []
    }

    /// The messages after a number that a consumer does not get. Only those queued since the last call are examined.
    func count(
        for name: LimitedConsumer, after number: UInt64, upTo newest: UInt64, _ table: InterestTable,
        in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> LogTail {
        if table !== self.table {
            self.table = table
            forget()
        }
        var stretch = stretches[name.key.bytes] ?? Stretch(begin: number, end: number)
        if stretch.begin > number || stretch.end < number || stretch.end > newest {
            stretch = Stretch(begin: number, end: number)
        }
        stretch.found.removeAll { $0.sequence <= number }
        stretch.begin = number
        try forgetRemoved(from: &stretch, in: transaction)
        try transaction.scanLog(after: stretch.end) { sequence, record in
            if let record, name.skips(record.identifier), name.topic.covers(record) {
                stretch.found.append((sequence, record.payload.count))
            }
            stretch.end = max(stretch.end, sequence)
            return .next
        }
        stretches[name.key.bytes] = stretch
        return stretch.found.reduce(into: LogTail()) { $0.add(LogTail(index: 1, total: UInt64(clamping: $1.size))) }
    }

    /// Some may have been destroyed, or have expired.
    private func forgetRemoved(
        from stretch: inout Stretch, in transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        let removed = try transaction.meta().removed.index
        guard removed != stretch.removed else { return }
        let found = stretch.found
        stretch.found = []
        for one in found { try transaction.withLogged(one.sequence) { _ in stretch.found.append(one) } }
        stretch.removed = removed
    }

    /// A transaction has been dropped in which there were others.
    func forget() { stretches.removeAll() }
}
