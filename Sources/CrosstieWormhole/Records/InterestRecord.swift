/// The listeners that need every message of a topic. Its key is the topic's text.
struct InterestRecord {
    /// The number of messages queued for it, and the bytes of their values: a listener counts lost messages by it.
    /// Wraps; only differences have a meaning.
    var logged = LogTail()
    /// The members that listen.
    var slots = MemberMask()
    /// The number of durable consumers.
    var durableCount: UInt32 = 0

    /// The fields of the record.
    enum Layout {
        static var format: RecordField<UInt32> { RecordField(0) }
        static var durableCount: RecordField<UInt32> { RecordField(4) }
        static var loggedIndex: RecordField<UInt64> { RecordField(8) }
        static var slots: RecordField<MemberMask> { RecordField(16) }
        static var loggedTotal: RecordField<UInt64> { RecordField(48) }
        static var size: Int { 56 }
    }

    static var format: UInt32 { 1 }
    static var size: Int { Layout.size }

    var isVoid: Bool { slots.isEmpty && durableCount == 0 }

    init() {}

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= InterestRecord.size, bytes[Layout.format] == InterestRecord.format else {
            return nil
        }
        durableCount = bytes[Layout.durableCount]
        logged.index = bytes[Layout.loggedIndex]
        logged.total = bytes[Layout.loggedTotal]
        slots = bytes[Layout.slots]
    }

    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= InterestRecord.size else { return }
        base[Layout.format] = InterestRecord.format
        base[Layout.durableCount] = durableCount
        base[Layout.loggedIndex] = logged.index
        base[Layout.loggedTotal] = logged.total
        base[Layout.slots] = slots
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

    /// The substitute for a damaged record: every member may listen, and the durable consumers are counted by their
    /// cursors. The one that has taken most has taken everything.
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

    /// Changes the listeners that need every message of a topic; an empty record is removed.
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
