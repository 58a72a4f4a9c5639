import Synchronization

/// Who wants every message of what, as this process remembers it. Guarded by the writers' lock.
final class Interests {
    struct Interest {
        let topic: Topic
        let slots: SlotMask
        let isDurable: Bool
    }

    private var exact: [UInt64: Interest] = [:]
    private var prefixes: [UInt64: Interest] = [:]
    /// What the bells said when it was read.
    private var version = UInt64.max

    var isEmpty: Bool { exact.isEmpty && prefixes.isEmpty }

    /// Reads it anew if it has changed since. Those of whom nobody lives any more are forgotten.
    @inline(__always)
    func refresh(_ transaction: borrowing StoreTransaction, _ bells: Bells) throws(CrosstieError) {
        let now = bells.interestVersion.pointee.load(ordering: .acquiring)
        if now != version { try read(transaction, bells, now) }
    }

    @inline(never)
    private func read(
        _ transaction: borrowing StoreTransaction, _ bells: Bells, _ now: UInt64
    ) throws(CrosstieError) {
        exact = [:]
        prefixes = [:]
        // Should this fail, it is done again.
        version = .max
        let listening = bells.queueSlots
        var found: [(topic: Topic, record: InterestRecord)] = []
        try transaction.scan(StoreKey.interest) { text, bytes throws(CrosstieError) in
            guard let topic = try? Topic(text), let record = InterestRecord(bytes) else { return .remove }
            found.append((topic, record))
            return .next
        }
        for (topic, record) in found {
            var living = record
            living.slots.formIntersection(listening)
            if living.slots != record.slots {
                try transaction.editInterest(topic) { $0.slots = living.slots }
            }
            if !living.isVoid { enter(topic, living) }
        }
        version = now
    }

    private func enter(_ topic: Topic, _ record: InterestRecord) {
        let interest = Interest(topic: topic, slots: record.slots, isDurable: record.durableCount > 0)
        if topic.isPrefix { prefixes[topic.hash] = interest } else { exact[topic.hash] = interest }
    }

    /// Calls `body` with each interest in an identifier; with all of them for nil, which stands for everything.
    @inline(__always)
    func forEach(
        in identifier: Identifier?, _ body: (Interest) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        guard let identifier else {
            for interest in exact.values { try body(interest) }
            for interest in prefixes.values { try body(interest) }
            return
        }
        if let interest = exact[identifier.hash], interest.topic.covers(identifier.bytes) { try body(interest) }
        if prefixes.isEmpty { return }
        var hashes: [UInt64] = []
        identifier.forEachPrefixHash { hashes.append($0) }
        for hash in hashes {
            if let interest = prefixes[hash], interest.topic.covers(identifier.bytes) { try body(interest) }
        }
    }
}
