import Synchronization

/// The interests in every message, as this process remembers them. Guarded by the writers' lock.
final class Interests {
    private(set) var table = InterestTable()
    /// The version in the wakeups when it was read.
    private(set) var version = UInt64.max

    /// Reads them again if they have changed. Those without a living member are removed.
    @inline(__always)
    func refresh(_ transaction: borrowing StoreTransaction, _ wakeups: Wakeups) throws(CrosstieError) {
        let now = wakeups.interestVersion.pointee.load(ordering: .acquiring)
        if now != version { try read(transaction, wakeups, now) }
    }

    /// Forces another read.
    func forget() { version = .max }

    /// Forgets the interests unless they are of a known version: a transaction that was dropped may have read them.
    func forget(unlessOf known: UInt64) { if version != known { forget() } }

    @inline(never)
    private func read(
        _ transaction: borrowing StoreTransaction, _ wakeups: Wakeups, _ now: UInt64
    ) throws(CrosstieError) {
        // Should this fail, it is done again.
        version = .max
        let fresh = InterestTable()
        for (topic, record) in try Interests.stored(transaction) {
            var living = record
            living.slots.formIntersection(wakeups.queueSlots)
            if living.slots != record.slots {
                try transaction.editInterest(topic) { $0.slots = living.slots }
            }
            if !living.isVoid { fresh.add(topic, living) }
        }
        try Interests.addLimited(transaction, to: fresh)
        table = fresh
        version = now
    }

    /// Adds the names with limits. A record that is damaged, or left over, sets none.
    private static func addLimited(
        _ transaction: borrowing StoreTransaction, to table: InterestTable
    ) throws(CrosstieError) {
        try transaction.scan(StoreKey.declared) { name, record in
            guard let options = DurableOptions(record), let key = CursorKey(stored: name) else { return .next }
            if let limited = LimitedConsumer(key, options) { table.add(limited) }
            return .next
        }
    }

    private static func stored(
        _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> [(Topic, InterestRecord)] {
        var topics: [Topic] = []
        try transaction.scan(StoreKey.interest) { text, _ throws(CrosstieError) in
            guard let topic = try? Topic(text) else { return .remove }
            topics.append(topic)
            return .next
        }
        var found: [(Topic, InterestRecord)] = []
        for topic in topics {
            if let record = try transaction.interest(topic) { found.append((topic, record)) }
        }
        return found
    }
}
