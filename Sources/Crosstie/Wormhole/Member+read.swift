/// Looking at a group as a whole.
extension Member {
    /// The identifiers that have a message and that an identifier, or a prefix, covers; in the order of their bytes.
    package func identifiers(_ topic: UnsafeRawBufferPointer) throws(CrosstieError) -> [String] {
        let topic = try Topic(topic)
        return try use { () throws(CrosstieError) in try transport.identifiers(topic) }
    }

    /// Who has the group open now, in all processes, in the order in which they came.
    package func participants() throws(CrosstieError) -> [Wormhole.Participant] {
        try use { () throws(CrosstieError) in try transport.participants() }
    }
}

extension Group {
    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] {
        try read { snapshot throws(CrosstieError) in try snapshot.identifiers(topic) }
    }

    func participants(seenFrom slot: Int) -> [Wormhole.Participant] {
        var found: [Wormhole.Participant] = []
        forEachOccupant { other, occupant, isAlive in
            guard isAlive, bells.occupant(other) == occupant else { return }
            let place = found.firstIndex { $0.since > occupant.since } ?? found.endIndex
            let isSelf = other == slot
            found.insert(
                Wormhole.Participant(pid: occupant.pid, name: occupant.name, since: occupant.since, isSelf: isSelf),
                at: place)
        }
        return found
    }

    /// Whether somebody stands in a slot who has died.
    var hasDeadMembers: Bool {
        var isFound = false
        forEachOccupant { _, _, isAlive in if !isAlive { isFound = true } }
        return isFound
    }

    /// Calls `body` with each slot that is taken, by whom, and whether that one lives.
    private func forEachOccupant(_ body: (Int, Occupant, Bool) -> Void) {
        let here = Boot.startTime(of: pid)
        bells.everybody.forEach { slot in
            guard let occupant = bells.occupant(slot) else { return }
            // The locks of its own process do not show.
            let isOurs = occupant.pid == pid && occupant.start == here
            body(slot, occupant, isOurs || bells.isAlive(slot))
        }
    }
}

extension StoreTransaction {
    fileprivate func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] {
        var found: [String] = []
        let stem = Array(topic.stem)
        try scan(StoreKey.current, from: stem) { identifier, stored throws(CrosstieError) in
            guard topic.isPrefix ? identifier.starts(with: stem) : identifier.elementsEqual(stem) else { return .stop }
            // Whoever reads one that is damaged is told so; a key that is no identifier cannot be read at all.
            let isThere = StateRecord(stored).map { $0.kind == .value } ?? true
            guard isThere, Identifier(identifier) != nil else { return .next }
            guard found.count < ValueRef.maxCount else {
                throw CrosstieError(.limit, "over \(ValueRef.maxCount) identifiers have a message")
            }
            found.append(String(decoding: identifier, as: UTF8.self))
            return .next
        }
        return found
    }
}
