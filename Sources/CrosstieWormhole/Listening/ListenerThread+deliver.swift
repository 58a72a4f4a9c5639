extension ListenerThread {
    /// Tells the listeners what is new, each a batch at most, so that a busy one keeps no other waiting.
    func deliver() {
        lastDelivered = nil
        heedGivenBack()
        // Unreadable for want of memory or of a reader's place: again within a second.
        guard let sequence = try? transport.sequence() else { return }
        let concerned = table.takeConcerned(transport.changes(after: table.consumed, upTo: sequence), upTo: sequence)
        if concerned.isEmpty { return }
        for binding in concerned where !shallStop {
            let count = table.lookAfter(binding)
            if count > 0 { lastDelivered = binding.topic.hash }
            if binding.feed.isQueue, count > 1 { streamedCount += count }
        }
        table.noteQueuesConsumed()
    }

    /// Messages that were given back may be for any durable consumer.
    private func heedGivenBack() {
        let now = transport.givenBackCount
        guard now != seenGivenBack else { return }
        seenGivenBack = now
        table.heedTimed()
    }
}

/// The hashes of identifiers that have changed.
enum Changes {
    case none
    case one(UInt64)
    case many(Set<UInt64>)
    /// Any may have.
    case unknown

    @inline(__always)
    mutating func insert(_ hash: UInt64) {
        switch self {
        case .none: self = .one(hash)
        case .one(let other): if other != hash { self = .many([other, hash]) }
        case .many(var hashes):
            self = .none
            hashes.insert(hash)
            self = .many(hashes)
        case .unknown: break
        }
    }
}
