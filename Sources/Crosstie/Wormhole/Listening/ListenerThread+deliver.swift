extension ListenerThread {
    /// Tells the listeners what is new.
    func deliver() {
        lastTold = nil
        heedGivenBack()
        // Unreadable for want of memory or of a reader's place: again within a second.
        guard let sequence = try? group.sequence() else { return }
        var concerned = table.takeConcerned(changes(upTo: sequence), upTo: sequence)
        while !concerned.isEmpty, !shallStop {
            for binding in concerned where !shallStop {
                let count = table.lookAfter(binding)
                if count > 0 { lastTold = binding.topic.hash }
                if binding.feed.isQueue { queuedCount += count }
            }
            table.noteQueuesHeard()
            // What rings meanwhile is for the next round.
            concerned = table.takeConcerned(.none, upTo: sequence)
        }
    }

    /// Messages that were given back may be for any durable name.
    private func heedGivenBack() {
        let now = group.bells.givenBack.pointee.load(ordering: .acquiring)
        guard now != seenGivenBack else { return }
        seenGivenBack = now
        table.heedTimed()
    }

    /// What has changed since the last round.
    private func changes(upTo sequence: UInt64) -> Changes {
        let heard = table.heard
        guard sequence > heard else { return .none }
        guard heard != 0, sequence &- heard <= BellsLayout.ringCount / 2 else { return .unknown }
        var changes = Changes.none
        for change in heard + 1...sequence {
            guard let hash = group.bells.hash(ofChange: change), hash != 0 else { return .unknown }
            changes.insert(hash)
        }
        return changes
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
