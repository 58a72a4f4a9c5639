/// Says that an opening listens to a durable consumer that expires: so nobody forgets a name to which somebody listens who
/// lives, however long nothing comes and however long the machine sleeps. The record is how many of its listeners do.
enum ListeningRecord {
    static var size: Int { 4 }

    static func key(_ identity: UInt64, _ owner: UInt64) -> [UInt8] {
        // Of the same form.
        WaitingKey.bySequence(owner, of: identity)
    }
}

extension StoreTransaction {
    /// Whether an opening has said that it listens to a name.
    func isListening(_ owner: UInt64, to identity: UInt64) throws(CrosstieError) -> Bool {
        try ListeningRecord.key(identity, owner).withBytes { key throws(CrosstieError) in
            try get(StoreKey.listening, key) != nil
        }
    }

    /// Notes that one listener more, or one less, of an opening listens to a name.
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

    /// Which openings have said that they listen to a name. What is no such record is passed over.
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
