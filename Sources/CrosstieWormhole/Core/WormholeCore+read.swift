/// Looking at a group as a whole.
extension WormholeCore {
    /// The identifiers that have a message and that an identifier, or a prefix, covers; in the order of their bytes.
    package func identifiers(_ topic: UnsafeRawBufferPointer) throws(CrosstieError) -> [String] {
        let topic = try Topic(topic)
        return try use { () throws(CrosstieError) in try transport.identifiers(topic) }
    }

    /// The members of the group, in all processes, in the order in which they joined.
    package func members() throws(CrosstieError) -> [Wormhole.Member] {
        try use { () throws(CrosstieError) in try transport.members() }
    }

    /// The connection to the group's server.
    package func connection() throws(CrosstieError) -> Wormhole.Connection {
        try use { () throws(CrosstieError) in try transport.connection() }
    }

    /// The functions that the wormhole supports, and what they promise.
    package func abilities() throws(CrosstieError) -> Wormhole.Abilities {
        try use { () throws(CrosstieError) in transport.abilities }
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

    func members(seenFrom slot: Int) -> [Wormhole.Member] {
        var found: [Wormhole.Member] = []
        forEachMember { other, member, isAlive in
            guard isAlive, wakeups.member(other) == member else { return }
            let position = found.firstIndex { $0.since > member.since } ?? found.endIndex
            let isSelf = other == slot
            found.insert(
                Wormhole.Member(
                    pid: member.process.pid, name: member.name, since: member.since, isSelf: isSelf),
                at: position)
        }
        return found
    }

    /// Whether the owner of a slot has died.
    var hasDeadMembers: Bool {
        var isFound = false
        forEachMember { _, _, isAlive in if !isAlive { isFound = true } }
        return isFound
    }

    /// Calls `body` with each taken slot, its owner, and whether the owner lives.
    @inline(never)
    private func forEachMember(_ body: (Int, Member, Bool) -> Void) {
        wakeups.everybody.forEach { slot in
            guard let member = wakeups.member(slot) else { return }
            // The locks of its own process do not show.
            body(slot, member, member.process == process || wakeups.isAlive(slot))
        }
    }
}

extension StoreTransaction {
    /// Some of the identifiers from one on, and the one to continue with.
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
