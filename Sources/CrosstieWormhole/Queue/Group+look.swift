extension Group {
    /// The result for a durable consumer's listener that only looks.
    struct CursorLook {
        /// Whether there is something to be claimed.
        var hasSomething = false
        var isForgotten = false
        /// The time of the next redelivery; the largest number for none.
        var earliestDue = UInt64.max
        /// The other members that have messages, if requested.
        var owners: Set<UInt64> = []
        var quiet = QuietStretch()
        /// Whether the consumer expires, and has no record of this listener; only if the owners were requested.
        var lacksEntry = false
    }
}

extension Group {
    /// Looks for messages to claim and, if wished, for the other members that have some in hand. Reads only.
    func look(
        _ key: CursorKey, identity: UInt64, owner: UInt64, quiet: QuietStretch, namesOwners: Bool
    ) throws(CrosstieError) -> CursorLook {
        try read { snapshot throws(CrosstieError) in
            guard let cursor = try snapshot.cursor(key, boot: boot), cursor.identity == identity else {
                return CursorLook(isForgotten: true)
            }
            var look = CursorLook(
                earliestDue: try snapshot.nextDue(of: cursor),
                owners: namesOwners ? cursor.owners.subtracting([owner]) : [],
                quiet: QuietStretch(
                    after: cursor.next, upTo: try snapshot.meta().sequence(ofState: snapshot.number)))
            let found = try snapshot.firstLogged(for: key.topic, after: quiet.skipped(from: cursor.next))
            if let found { look.quiet.upTo = found &- 1 }
            if namesOwners, try snapshot.durableOptions(key).expiry > 0 {
                look.lacksEntry = try !snapshot.isListening(owner, to: identity)
            }
            look.hasSomething =
                cursor.hasUnreported(for: owner) || look.earliestDue <= Clock.now() || found != nil && !cursor.isFull
            return look
        }
    }
}

extension StoreTransaction {
    /// The number of the first queued message for a topic after a number; nil if there is none.
    fileprivate func firstLogged(for topic: Topic, after number: UInt64) throws(CrosstieError) -> UInt64? {
        var found: UInt64?
        try scanLog(after: number) { sequence, record throws(CrosstieError) in
            guard let record, topic.covers(record) else { return .next }
            found = sequence
            return .stop
        }
        return found
    }
}
