/// The key of a cursor: the durable consumer, a zero byte, and the topic, which has none.
struct CursorKey {
    let topic: Topic
    let bytes: [UInt8]

    /// Durable consumers in a group, at most.
    static var maximumCount: Int { 256 }

    init(_ topic: Topic, name: [UInt8]) {
        self.topic = topic
        bytes = name + [0] + topic.text
    }

    /// The key of a name from the host; nil if it is malformed.
    init?(of identifier: UnsafeRawBufferPointer, name: [UInt8]) {
        guard let topic = try? Topic(identifier), !name.isEmpty, name.count <= Identifier.maximumSize else {
            return nil
        }
        self.init(topic, name: name)
    }

    /// Reads a key, of which every byte may be wrong; nil when it is none.
    init?(stored bytes: UnsafeRawBufferPointer) {
        guard let topic = CursorKey.topic(bytes) else { return nil }
        self.topic = topic
        self.bytes = Array(bytes)
    }

    /// The durable consumer.
    var name: ArraySlice<UInt8> { bytes.dropLast(topic.text.count + 1) }

    /// The topic in a key; nil if it has none.
    static func topic(_ bytes: UnsafeRawBufferPointer) -> Topic? {
        guard let end = bytes.lastIndex(of: 0) else { return nil }
        return try? Topic(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
    }
}

extension StoreTransaction {
    /// The cursor of a key; nil if there is none.
    @inline(never)
    func cursor(_ key: CursorKey, boot: UInt64) throws(CrosstieError) -> CursorState? {
        try key.bytes.withBytes { bytes throws(CrosstieError) in
            guard let record = try get(StoreKey.cursor, bytes) else { return nil }
            return try CursorState(record, boot: boot)
        }
    }

    func put(_ cursor: CursorState, _ key: CursorKey, boot: UInt64) throws(CrosstieError) {
        try put(cursor, key.bytes, boot: boot)
    }

    func put(_ cursor: CursorState, _ key: [UInt8], boot: UInt64) throws(CrosstieError) {
        try key.withBytes { bytes throws(CrosstieError) in
            cursor.write(into: try reserve(StoreKey.cursor, bytes, size: cursor.encodedSize), boot: boot)
        }
    }
}

extension CrosstieError {
    package static func noDurable(named name: [UInt8]) -> CrosstieError {
        CrosstieError(.notFound, "no durable consumer \(Quotation.quoted(name))")
    }
}
