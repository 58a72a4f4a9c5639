/// A look at all records of a store: whether each can be read, and whether they agree with each other.
struct StoreAudit {
    private(set) var findings: [StoreFinding] = []
    /// The number of findings; the list has the first ones.
    private(set) var findingCount: UInt64 = 0
    private(set) var sizes = StoreSizes()
    private var meta: StoreMeta?
    private var newest: UInt64 = 0
    private var tombstones: UInt32 = 0
    /// By topic: the numbers of durable consumers, as the interests and the cursors state them.
    private var interests: [[UInt8]: UInt32] = [:]
    private var names: [[UInt8]: UInt32] = [:]
    /// By the number that the keys of their waiting messages begin with.
    private var cursors: [UInt64: (key: [UInt8], state: CursorState)] = [:]
    private var waiting: [UInt64: [UInt64: DueTime]] = [:]
    private var dueCounts: [UInt64: UInt64] = [:]
    /// By identity.
    private var deadCounts: [UInt64: UInt64] = [:]
    /// The entries of the schedule that have not been found yet.
    private var schedule: Set<UInt64> = []
    private var log = LogTail()
    private var tail: LogTail?

    private static var maximumFindings: Int { 10_000 }

    /// - Parameter number: of the state that is looked at.
    init(number: UInt64) { self.number = number }
    private let number: UInt64

    mutating func find(_ finding: StoreFinding) {
        findingCount += 1
        if findings.count < StoreAudit.maximumFindings { findings.append(finding) }
    }

    /// Takes the next record, in the order of keys.
    mutating func take(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        sizes.count(key, record)
        guard RecordKind.fields(key, record) != nil else {
            return find(StoreFinding(key, "cannot be read"))
        }
        let rest = UnsafeRawBufferPointer(rebasing: key.dropFirst())
        switch key.first {
        case StoreKey.meta:
            meta = try? StoreMeta(record)
            newest = meta?.sequence(ofState: number) ?? 0
        case StoreKey.current, StoreKey.signal:
            require(StateRecord(record)?.stamp.sequence ?? 0, key)
        case StoreKey.tombstone: tombstones &+= 1
        case StoreKey.interest: interests[Array(rest)] = InterestRecord(record)?.durableCount
        case StoreKey.cursor: takeCursor(rest, record)
        case StoreKey.waiting: takeWaiting(rest, record)
        case StoreKey.due: takeDue(key, rest, record)
        case StoreKey.deadLetter: deadCounts[WaitingKey.identity(rest) ?? 0, default: 0] += 1
        case StoreKey.schedule: if let key = ScheduleKey(rest) { schedule.insert(key.number) }
        case StoreKey.scheduled: takeScheduled(key, rest, record)
        case StoreKey.log: takeBlock(key, record)
        default: break
        }
    }

    /// No number is newer than the newest one.
    private mutating func require(_ sequence: UInt64, _ key: UnsafeRawBufferPointer) {
        guard meta != nil, sequence > newest else { return }
        find(StoreFinding(key, "has the number \(sequence), and the newest is \(newest)"))
    }

    private mutating func takeCursor(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        guard let topic = CursorKey.topic(key), let state = CursorState(anyBoot: record) else { return }
        names[topic.text, default: 0] &+= 1
        cursors[state.shelf] = (Array(key), state)
    }

    private mutating func takeWaiting(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        guard let identity = WaitingKey.identity(key), let sequence = WaitingKey.sequence(key) else { return }
        waiting[identity, default: [:]][sequence] = DueTime(record)
    }

    private mutating func takeDue(
        _ key: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
    ) {
        guard let identity = WaitingKey.identity(rest), let due = WaitingMessage(key: rest, record) else { return }
        dueCounts[identity, default: 0] += 1
        if waiting[identity]?[due.sequence] != due.due {
            find(StoreFinding(key, "waits at another time, or not at all"))
        }
    }

    private mutating func takeScheduled(
        _ key: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
    ) {
        guard let number = ScheduledMessage(record, underNumber: rest)?.key.number else { return }
        require(number, key)
        if schedule.remove(number) == nil { find(StoreFinding(key, "is missing in the schedule")) }
    }

    private mutating func takeBlock(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        guard let sequence = StoreKey.sequence(key), let block = LogBlock(record, sequence: sequence) else { return }
        require(sequence, key)
        if let tail, block.tail.index &- tail.index < UInt64(block.count) || block.tail.index < tail.index {
            find(StoreFinding(key, "counts less than the one before"))
        }
        tail = block.tail
        log.index &+= UInt64(block.count)
        log.total &+= UInt64(block.size)
    }

    /// Looks whether the records agree, when all have been taken.
    mutating func finish() {
        guard let meta else { return find(StoreFinding("meta", "", "is missing")) }
        if meta.tombstones != tombstones {
            find(StoreFinding("meta", "", "counts \(meta.tombstones) destroyed records, and there are \(tombstones)"))
        }
        for (topic, count) in names where interests[topic] != count { disagree(topic, interests[topic] ?? 0, count) }
        for (topic, count) in interests where count > 0 && names[topic] == nil { disagree(topic, count, 0) }
        if let number = schedule.first {
            find(StoreFinding("schedule", String(number), "leads to no message"))
        }
        for (identity, cursor) in cursors { check(identity, cursor.key, cursor.state) }
        guard let tail else { return }
        let live = (tail.index &- meta.removed.index, tail.total &- meta.removed.total)
        if live != (log.index, log.total) {
            find(
                StoreFinding(
                    "meta", "",
                    "counts \(live.0) queued messages of \(live.1) bytes, and there are \(log.index) of \(log.total)"))
        }
    }

    private mutating func disagree(_ topic: [UInt8], _ stated: UInt32, _ found: UInt32) {
        let topic = String(decoding: topic, as: UTF8.self)
        find(StoreFinding("interest", topic, "counts \(stated) durable consumers, and there are \(found)"))
    }

    private mutating func check(_ identity: UInt64, _ key: [UInt8], _ cursor: CursorState) {
        let location = ([StoreKey.cursor] + key).withUnsafeBytes { RecordKind.location($0) }
        let found = UInt64(waiting[identity]?.count ?? 0)
        if cursor.waitingCount != found || dueCounts[identity] ?? 0 != found {
            let due = dueCounts[identity] ?? 0
            find(
                StoreFinding(
                    "cursor", location, "counts \(cursor.waitingCount) that wait, and there are \(found) (\(due))"))
        }
        let dead = deadCounts[cursor.identity] ?? 0
        if cursor.tally.deadCount != dead {
            find(
                StoreFinding("cursor", location, "counts \(cursor.tally.deadCount) dead letters, and there are \(dead)")
            )
        }
        if cursor.next > newest {
            find(StoreFinding("cursor", location, "has come to \(cursor.next), and the newest is \(newest)"))
        }
    }
}
