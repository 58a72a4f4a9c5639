extension ListenerThread {
    /// Tells the listeners what is new.
    func deliver() {
        lastTold = nil
        heedGivenBack()
        repeat {
            // Unreadable for want of memory or of a reader's place: again within a second.
            guard let sequence = try? group.sequence() else { break }
            let concerned = table.takeConcerned(changes(upTo: sequence), upTo: sequence)
            if concerned.isEmpty { break }
            for binding in concerned where !shallStop {
                let count = table.lookAfter(binding)
                if count > 0 { lastTold = binding.topic.hash }
                if binding.feed.isQueue { queuedCount += count }
            }
            table.noteQueuesHeard()
        } while !shallStop
    }

    /// Messages that were given back may be for any durable name.
    private func heedGivenBack() {
        let now = group.bells.givenBack.pointee.load(ordering: .acquiring)
        guard now != seenGivenBack else { return }
        seenGivenBack = now
        table.heedTimed()
    }

    /// The hashes of what has changed since the last round; nil when that is not known.
    private func changes(upTo sequence: UInt64) -> Set<UInt64>? {
        let heard = table.heard
        guard sequence > heard else { return [] }
        guard heard != 0, sequence &- heard <= BellsLayout.ringCount / 2 else { return nil }
        var hashes: Set<UInt64> = []
        for change in heard + 1...sequence {
            guard let hash = group.bells.hash(ofChange: change), hash != 0 else { return nil }
            hashes.insert(hash)
        }
        return hashes
    }
}
