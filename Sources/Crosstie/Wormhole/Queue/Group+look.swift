/// What a listener of a durable name finds when it only looks.
struct CursorLook {
    /// Whether there is something to be claimed.
    var hasSomething = false
    var isForgotten = false
    /// When a message has to be given out again; the largest number if none has to.
    var earliestDue = UInt64.max
    /// The other openings that have messages.
    var owners: Set<UInt64> = []
    var quiet = QuietStretch()
}

extension Group {
    /// Looks whether there is something to be claimed. Reads only.
    func look(
        _ key: CursorKey, identity: UInt64, owner: UInt64, quiet: QuietStretch
    ) throws(CrosstieError) -> CursorLook {
        try read { snapshot throws(CrosstieError) in
            try look(key, identity: identity, owner: owner, quiet: quiet, in: snapshot)
        }
    }

    private func look(
        _ key: CursorKey, identity: UInt64, owner: UInt64, quiet: QuietStretch, in snapshot: borrowing StoreTransaction
    ) throws(CrosstieError) -> CursorLook {
        var look = CursorLook()
        guard let cursor = try snapshot.cursor(key, boot: boot), cursor.identity == identity else {
            look.isForgotten = true
            return look
        }
        look.earliestDue = cursor.earliestDue
        look.owners = cursor.owners.subtracting([owner])
        look.hasSomething = cursor.missed > 0 || look.earliestDue <= Clock.now()
        let newest = try snapshot.meta().sequence(ofState: snapshot.number)
        look.quiet = QuietStretch(after: cursor.next, upTo: newest)
        var hasFound = false
        try snapshot.scanLog(after: quiet.skipped(from: cursor.next)) { sequence, record throws(CrosstieError) in
            guard let record, key.topic.covers(record) else { return .next }
            look.quiet.upTo = sequence &- 1
            hasFound = true
            return .stop
        }
        if hasFound, !cursor.isFull { look.hasSomething = true }
        return look
    }
}
