/// Looking at a group as a whole.
extension Member {
    /// The identifiers that have a message and that an identifier, or a prefix, covers; in the order of their bytes.
    package func identifiers(_ topic: UnsafeRawBufferPointer) throws(CrosstieError) -> [String] {
        let topic = try Topic(topic)
        return try use { () throws(CrosstieError) in try group.identifiers(topic) }
    }

    /// Who has the group open now, in all processes, in the order in which they came.
    package func participants() throws(CrosstieError) -> [Wormhole.Participant] {
        try use { () throws(CrosstieError) in group.participants(seenFrom: slot) }
    }
}

extension Group {
    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] {
        var found: [String] = []
        let stem = Array(topic.stem)
        let snapshot = try store.reading()
        try snapshot.scan(StoreKey.current, from: stem) { identifier, stored throws(CrosstieError) in
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

    func participants(seenFrom slot: Int) -> [Wormhole.Participant] {
        let here = Boot.startTime(of: pid)
        var found: [Wormhole.Participant] = []
        bells.everybody.forEach { other in
            guard let occupant = bells.occupant(other) else { return }
            // The locks of its own process do not show.
            let isOurs = occupant.pid == pid && occupant.start == here
            guard isOurs || bells.isAlive(other), bells.occupant(other) == occupant else { return }
            found.append(
                Wormhole.Participant(
                    pid: occupant.pid, name: occupant.name, since: occupant.since, isSelf: other == slot))
        }
        return found.sorted { $0.since < $1.since }
    }
}
