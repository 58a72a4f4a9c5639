/// The record that a member listens to a durable consumer that expires. It keeps the consumer from expiring while a
/// listener is alive, however long no message comes or the machine sleeps. Its value is the number of the member's
/// listeners.
enum ListeningRecord {
    static var size: Int { 4 }

    static func key(_ identity: UInt64, _ owner: UInt64) -> [UInt8] {
        // Of the same form.
        WaitingKey.bySequence(owner, of: identity)
    }
}

extension StoreTransaction {
    /// Whether a member has a record that it listens to a consumer.
    func isListening(_ owner: UInt64, to identity: UInt64) throws(CrosstieError) -> Bool {
        try ListeningRecord.key(identity, owner).withBytes { key throws(CrosstieError) in
            try get(StoreKey.listening, key) != nil
        }
    }

    /// Counts one listener more, or one less, of a member for a consumer.
    func countListener(_ owner: UInt64, of identity: UInt64, isMore: Bool) throws(CrosstieError) {
        try ListeningRecord.key(identity, owner).withBytes { key throws(CrosstieError) in
            let stored = try get(StoreKey.listening, key)
            let count = stored.map { $0.count >= 4 ? $0.loadUnaligned(as: UInt32.self) : 1 } ?? 0
            guard isMore || count > 1 else { return try remove(StoreKey.listening, key) }
            let room = try reserve(StoreKey.listening, key, size: ListeningRecord.size)
            room.storeBytes(of: isMore ? count &+ 1 : count - 1, as: UInt32.self)
        }
    }

    func removeListening(_ owner: UInt64, to identity: UInt64) throws(CrosstieError) {
        try ListeningRecord.key(identity, owner).withBytes { key throws(CrosstieError) in
            try remove(StoreKey.listening, key)
        }
    }

    /// The members that have a record that they listen to a consumer. Malformed records are skipped.
    func listening(to identity: UInt64) throws(CrosstieError) -> [UInt64] {
        var found: [UInt64] = []
        try scan(StoreKey.listening, from: WaitingKey.first(of: identity)) { key, _ in
            guard WaitingKey.identity(key) == identity else { return .stop }
            if let owner = WaitingKey.sequence(key) { found.append(owner) }
            return .next
        }
        return found
    }
}
