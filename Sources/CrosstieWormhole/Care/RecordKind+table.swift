extension RecordKind {
    static let all: [RecordKind] = [
        RecordKind(type: StoreKey.meta, name: "meta") { key, record in
            guard key.isEmpty, let meta = try? StoreMeta(record) else { return nil }
            return [
                ("offset", .int(Int64(bitPattern: meta.offset))), ("last_signal", .number(meta.lastSignal)),
                ("destroyed", .number(UInt64(meta.tombstones))), ("destroyed_all", .number(meta.destroyedAll.sequence)),
                ("dropped", .number(meta.dropped)), ("purged", .number(meta.purged)),
                ("counted", .number(meta.counted)),
                ("removed", .number(meta.removed.index)), ("removed_size", .number(meta.removed.total)),
            ]
        },
        RecordKind(type: StoreKey.current, name: "state") { state($0, $1) },
        RecordKind(type: StoreKey.signal, name: "signal") { state($0, $1) },
        RecordKind(type: StoreKey.tombstone, name: "destroyed") { key, record in
            guard key.count == 8, Identifier(record) != nil else { return nil }
            return [("sequence", .number(number(key, 0))), ("identifier", .text(record))]
        },
        RecordKind(type: StoreKey.interest, name: "interest") { key, record in
            guard (try? Topic(key)) != nil, let interest = InterestRecord(record) else { return nil }
            return [
                ("topic", .text(key)), ("names", .number(UInt64(interest.durableCount))),
                ("logged", .number(interest.logged.index)), ("logged_size", .number(interest.logged.total)),
            ]
        },
        RecordKind(type: StoreKey.cursor, name: "cursor") { cursor($0, $1) },
        RecordKind(type: StoreKey.member, name: "member") { key, record in
            guard key.count == 1, let entry = MemberRecord(record) else { return nil }
            return [
                ("slot", .int(Int64(key[0]))), ("pid", .int(Int64(entry.member.process.pid))),
                ("name", .string(entry.member.name)),
            ]
        },
        RecordKind(type: StoreKey.waiting, name: "waiting") { key, record in
            guard key.count == WaitingKey.sequenceSize, let due = DueTime(record) else { return nil }
            return [
                ("identity", .number(number(key, 0))), ("sequence", .number(number(key, 8))),
                ("era", .number(UInt64(due.era))), ("not_before", .number(due.clock)),
            ]
        },
        RecordKind(type: StoreKey.due, name: "due") { key, record in
            guard let waiting = WaitingMessage(key: key, record) else { return nil }
            return [
                ("identity", .number(number(key, 0))), ("sequence", .number(waiting.sequence)),
                ("deliveries", .number(UInt64(waiting.attempts))),
            ]
        },
        RecordKind(type: StoreKey.declared, name: "declared") { key, record in
            guard let name = durableName(key), let options = DurableOptions(record) else { return nil }
            return name + [
                ("max_deliveries", .number(UInt64(options.maximumDeliveries))),
                ("dead_letter", options.deadLetter.withUnsafeBytes { .text($0) }),
                ("max_messages", .number(options.maximumMessages)), ("max_size", .number(options.maximumSize)),
                ("expires", .number(options.expiry)),
            ]
        },
        RecordKind(type: StoreKey.deadLetter, name: "dead letter") { key, record in
            guard key.count == WaitingKey.sequenceSize, let letter = DeadLetterRecord(record, sequence: number(key, 8))
            else {
                return nil
            }
            return [
                ("identity", .number(number(key, 0))), ("sequence", .number(letter.sequence)),
                ("deliveries", .number(UInt64(letter.deliveries))), ("time", .int(letter.time)),
                ("sent_as", .number(letter.sentAs)), ("reason", letter.reason.withUnsafeBytes { .text($0) }),
            ]
        },
        // Dumps have no extents: there, a record has its bytes.
        RecordKind(type: StoreKey.extent, name: "extent") { _, _ in [] },
        RecordKind(type: StoreKey.freeExtent, name: "free extent") { _, _ in [] },
        RecordKind(type: StoreKey.listening, name: "listening") { key, record in
            guard key.count == WaitingKey.sequenceSize, record.count == ListeningRecord.size else { return nil }
            return [("identity", .number(number(key, 0))), ("member", .number(number(key, 8)))]
        },
        RecordKind(type: StoreKey.schedule, name: "schedule") { key, _ in
            guard let key = ScheduleKey(key) else { return nil }
            return [("not_before", .number(key.due)), ("number", .number(key.number))]
        },
        RecordKind(type: StoreKey.scheduled, name: "scheduled") { key, record in
            guard let message = ScheduledMessage(record, underNumber: key) else { return nil }
            return scheduled(message)
        },
        RecordKind(type: StoreKey.expiring, name: "expiring") { key, _ in
            guard key.isEmpty || Identifier(key) != nil else { return nil }
            return [("identifier", .text(key))]
        },
        RecordKind(type: StoreKey.log, name: "log") { block($0, $1) },
    ]

    /// A number of a key, which is big-endian.
    private static func number(_ key: Bytes, _ position: Int) -> UInt64 {
        UInt64(bigEndian: key.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    private static func state(_ key: Bytes, _ record: Bytes) -> [(String, Value)]? {
        guard Identifier(key) != nil, let state = StateRecord(record) else { return nil }
        let head: [(String, Value)] = [
            ("identifier", .text(key)), ("kind", .string("\(state.kind)")), ("sequence", .number(state.stamp.sequence)),
            ("time", .int(state.stamp.time)), ("pid", .int(Int64(state.stamp.pid))), ("sender", .text(state.name)),
        ]
        guard state.kind == .value else { return head }
        guard let value = Value.decoded(state.payload) else { return nil }
        return head + [("value", value)]
    }

    private static func scheduled(_ message: ScheduledMessage) -> [(String, Value)] {
        [
            ("number", .number(message.key.number)), ("identifier", .text(message.identifier)),
            ("kind", .string("\(message.kind)")), ("not_before", .number(message.key.due)),
            ("sent", .int(message.sent)), ("pid", .int(Int64(message.pid))),
            ("sender", message.name.withUnsafeBytes { .text($0) }),
        ]
    }

    /// Name and topic of a durable consumer's key; nil for a malformed key.
    private static func durableName(_ key: Bytes) -> [(String, Value)]? {
        guard let topic = CursorKey.topic(key), let end = key.lastIndex(of: 0) else { return nil }
        let name = Bytes(rebasing: key[..<end])
        guard !name.isEmpty, name.count <= Identifier.maximumSize else { return nil }
        return [("name", .text(name)), ("topic", topic.text.withUnsafeBytes { .text($0) })]
    }

    private static func cursor(_ key: Bytes, _ record: Bytes) -> [(String, Value)]? {
        guard let name = durableName(key), let cursor = CursorState(anyBoot: record) else { return nil }
        let given: [Value] = cursor.outstanding.map { delivery in
            [
                "sequence": .number(delivery.sequence), "deliveries": .number(UInt64(delivery.attempts)),
                "owner": .number(delivery.owner),
            ]
        }
        return name + [
            ("identity", .number(cursor.identity)), ("next", .number(cursor.next)), ("missed", .number(cursor.missed)),
            ("waiting", .number(cursor.waitingCount)), ("deliveries", .number(cursor.tally.deliveries)),
            ("dead", .number(cursor.tally.deadCount)), ("in_hand", .list(given)),
        ]
    }

    private static func block(_ key: Bytes, _ record: Bytes) -> [(String, Value)]? {
        guard key.count == 8, let block = LogBlock(record, sequence: number(key, 0)) else { return nil }
        var messages: [Value] = []
        var reader = LogBlockReader(block)
        while let message = reader.next() {
            guard let described = self.message(message) else { return nil }
            messages.append(described)
        }
        guard !reader.isDamaged else { return nil }
        return [
            ("sequence", .number(block.sequence)), ("time", .int(block.time)), ("pid", .int(Int64(block.pid))),
            ("sender", .text(block.name)), ("index", .number(block.tail.index)), ("total", .number(block.tail.total)),
            ("messages", .list(messages)),
        ]
    }

    private static func message(_ message: LogRecord) -> Value? {
        var map = ValueMap([
            ("sequence", .number(message.stamp.sequence)), ("kind", .string("\(message.kind)")),
            ("identifier", .text(message.identifier)),
        ])
        guard message.isSound else { return nil }
        if message.kind == .value { map["value"] = Value.decoded(message.payload) }
        return .map(map)
    }
}

extension LogRecord {
    /// Whether a listener can get it: it has an identifier or destroys everything, and its value can be read.
    var isSound: Bool {
        guard identifier.isEmpty ? kind == .destroyed : Identifier(identifier) != nil else { return false }
        guard kind == .value else { return true }
        guard let value = try? MessagePack.decode(payload) else { return false }
        value.release()
        return true
    }
}

extension CursorState {
    /// Reads a record as if it were of this boot of the machine; nil for a malformed one.
    init?(anyBoot record: UnsafeRawBufferPointer) {
        guard record.count >= CursorState.headerSize,
            let state = try? CursorState(record, boot: record[CursorState.Layout.boot])
        else { return nil }
        self = state
    }
}
