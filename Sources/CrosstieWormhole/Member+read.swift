/// Looking at a group as a whole.
extension Member {
    /// The identifiers that have a message and that an identifier, or a prefix, covers; in the order of their bytes.
    package func identifiers(_ topic: UnsafeRawBufferPointer) throws(CrosstieError) -> [String] {
        let topic = try Topic(topic)
        return try use { () throws(CrosstieError) in try transport.identifiers(topic) }
    }

    /// The members of the group, in all processes, in the order in which they joined.
    package func participants() throws(CrosstieError) -> [Wormhole.Participant] {
        try use { () throws(CrosstieError) in try transport.participants() }
    }
}

extension Group {
    /// Some at a time: a reading that lasts keeps pages of the store from being used again.
    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] {
        var found: [String] = []
        var start: [UInt8]? = Array(topic.stem)
        while let from = start {
            let some = try read { snapshot throws(CrosstieError) in try snapshot.identifiers(topic, from: from) }
            found += some.found
            start = some.next
            guard found.count <= ValueRef.maxCount else {
                throw CrosstieError(.limitExceeded, "over \(ValueRef.maxCount) identifiers have a message")
            }
        }
        return found
    }

    func participants(seenFrom slot: Int) -> [Wormhole.Participant] {
        var found: [Wormhole.Participant] = []
        forEachOccupant { other, occupant, isAlive in
            guard isAlive, bells.occupant(other) == occupant else { return }
            let place = found.firstIndex { $0.since > occupant.since } ?? found.endIndex
            let isSelf = other == slot
            found.insert(
                Wormhole.Participant(
                    pid: occupant.process.pid, name: occupant.name, since: occupant.since, isSelf: isSelf),
                at: place)
        }
        return found
    }

    /// Whether the owner of a slot has died.
    var hasDeadMembers: Bool {
        var isFound = false
        forEachOccupant { _, _, isAlive in if !isAlive { isFound = true } }
        return isFound
    }

    /// Calls `body` with each slot that is taken, by whom, and whether that one lives.
    @inline(never)
    private func forEachOccupant(_ body: (Int, Occupant, Bool) -> Void) {
        bells.everybody.forEach { slot in
            guard let occupant = bells.occupant(slot) else { return }
            // The locks of its own process do not show.
            body(slot, occupant, occupant.process == process || bells.isAlive(slot))
        }
    }
}

extension StoreTransaction {
    /// Some of the identifiers from one on, and with which to go on.
    fileprivate func identifiers(
        _ topic: Topic, from start: [UInt8]
    ) throws(CrosstieError) -> (found: [String], next: [UInt8]?) {
        var found: [String] = []
        var next: [UInt8]?
        var left = 1024
        let stem = Array(topic.stem)
        try scan(StoreKey.current, from: start) { identifier, stored throws(CrosstieError) in
            guard topic.isPrefix ? identifier.starts(with: stem) : identifier.elementsEqual(stem) else { return .stop }
            guard left > 0 else {
                next = Array(identifier)
                return .stop
            }
            left -= 1
            // A damaged record is reported to its reader; a key that is not an identifier cannot be read at all.
            let isThere = StateRecord(stored).map { $0.kind == .value && !$0.hasExpired } ?? true
            guard isThere, Identifier(identifier) != nil else { return .next }
            found.append(String(decoding: identifier, as: UTF8.self))
            return .next
        }
        return (found, next)
    }
}
