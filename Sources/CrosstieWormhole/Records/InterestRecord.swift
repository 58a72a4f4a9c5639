/// The listeners that need every message of a topic. Its key is the topic's text.
struct InterestRecord {
    /// The number of messages queued for it, and the bytes of their values: a listener that lost some counts them by
    /// it. Wraps; only differences tell anything.
    var logged = LogTail()
    /// The openings that listen.
    var slots = MemberMask()
    /// How many durable consumers there are.
    var durableCount: UInt32 = 0

    static var format: UInt32 { 1 }
    static var size: Int { 56 }

    var isVoid: Bool { slots.isEmpty && durableCount == 0 }

    init() {}

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= InterestRecord.size, bytes.loadUnaligned(as: UInt32.self) == InterestRecord.format else {
            return nil
        }
        durableCount = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        logged.index = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        logged.total = bytes.loadUnaligned(fromByteOffset: 48, as: UInt64.self)
        slots = bytes.loadUnaligned(fromByteOffset: 16, as: MemberMask.self)
    }

    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= InterestRecord.size else { return }
        base.storeBytes(of: InterestRecord.format, as: UInt32.self)
        base.storeBytes(of: durableCount, toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: logged.index, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: logged.total, toByteOffset: 48, as: UInt64.self)
        base.storeBytes(of: slots, toByteOffset: 16, as: MemberMask.self)
    }
}

extension StoreTransaction {
    /// The listeners that need every message of a topic; nil for none.
    func interest(_ topic: Topic) throws(CrosstieError) -> InterestRecord? {
        try topic.text.withBytes { text throws(CrosstieError) in
            guard let bytes = try get(StoreKey.interest, text) else { return nil }
            if let interest = InterestRecord(bytes) { return interest }
            return try presumedInterest(topic)
        }
    }

    /// What stands for a damaged record: everybody might want it, and the durable consumers tell for themselves. Whoever of
    /// them has taken most has taken everything.
    private func presumedInterest(_ topic: Topic) throws(CrosstieError) -> InterestRecord {
        var interest = InterestRecord()
        interest.slots = MemberMask(words: (.max, .max, .max, .max))
        try scan(StoreKey.cursor) { key, record in
            guard CursorKey.topic(key) == topic else { return .next }
            interest.durableCount &+= 1
            guard let taken = CursorState.taken(record) else { return .next }
            interest.logged.index = max(interest.logged.index, taken.index)
            interest.logged.total = max(interest.logged.total, taken.total)
            return .next
        }
        return interest
    }

    /// Changes who wants every message of a topic; a record that says nobody does is removed.
    func editInterest(_ topic: Topic, _ body: (inout InterestRecord) -> Void) throws(CrosstieError) {
        var interest = try interest(topic) ?? InterestRecord()
        body(&interest)
        let changed = interest
        try topic.text.withBytes { text throws(CrosstieError) in
            if changed.isVoid { return try remove(StoreKey.interest, text) }
            changed.write(into: try reserve(StoreKey.interest, text, size: InterestRecord.size))
        }
    }
}
