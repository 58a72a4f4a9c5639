/// Makes a store of records that were found in a damaged one: keeps each that can be read, and what can be read of it, and
/// has those agree that count or lead to others.
struct StoreMending {
    let builder: StoreBuilder
    let boot = Boot.identity().0
    var findings: [StoreFinding] = []
    var keptCount: UInt64 = 0
    /// The number of the last transaction; larger than any that a name is known by.
    var number: UInt64
    var meta: StoreMeta?
    /// The format in the record of the counts, even if it is not the known one.
    var metaFormat: UInt32 = 0
    var newest: UInt64 = 0
    var tombstones: UInt32 = 0
    var interests: [[UInt8]: InterestRecord] = [:]
    var cursors: [[UInt8]: CursorState] = [:]
    /// By identity and sequence.
    var waiting: [UInt64: [UInt64: WaitingMessage]] = [:]
    /// The numbers of dead letters, by identity.
    var deadCounts: [UInt64: UInt64] = [:]
    var tail = LogTail()
    var log = LogTail()
    var hasLog = false

    init(_ builder: StoreBuilder, number: UInt64) {
        self.builder = builder
        self.number = min(max(number, 1), StoreMending.largestNumber)
    }

    /// A larger number is damage, and no number of a message or of a transaction.
    static var largestNumber: UInt64 { 1 << 62 }

    mutating func lose(_ key: [UInt8], _ why: String) {
        guard findings.count < 100_000 else { return }
        findings.append(key.withUnsafeBytes { StoreFinding($0, why) })
    }

    mutating func keep(_ key: [UInt8], _ record: [UInt8]) throws(CrosstieError) {
        try put(key, record, isLast: true)
    }

    mutating func put(_ key: [UInt8], _ record: [UInt8], isLast: Bool) throws(CrosstieError) {
        try key.withBytes { key throws(CrosstieError) in
            try record.withBytes { record throws(CrosstieError) in try builder.put(key, record, isLast: isLast) }
        }
        keptCount += 1
    }

    /// Takes the records found under the next key.
    /// - Parameters:
    ///   - found: their readable bytes, the likeliest first.
    ///   - isNewest: whether the first one was in the newest tree.
    mutating func take(_ key: [UInt8], _ found: [[UInt8]], isNewest: Bool) throws(CrosstieError) {
        let record = choose(key, found, isNewest)
        switch key.first {
        case StoreKey.meta where key.count == 1:
            meta = record.flatMap { $0.withUnsafeBytes { try? StoreMeta($0) } }
            metaFormat =
                found.first.map { $0.withUnsafeBytes { $0.count < 4 ? 0 : $0.loadUnaligned(as: UInt32.self) } } ?? 0
        case StoreKey.interest: takeInterest(key, record)
        case StoreKey.cursor: takeCursor(key, record)
        case StoreKey.waiting: takeWaiting(key, record)
        case StoreKey.due: takeDue(key, record)
        case StoreKey.declared: try takeDeclared(key, record)
        case StoreKey.deadLetter: try takeDeadLetter(key, record)
        case StoreKey.scheduled: try takeScheduled(key, record)
        // It is recomputed from the scheduled messages.
        case StoreKey.schedule: break
        case StoreKey.log: try takeBlock(key, record ?? found.first)
        // No process has the group open.
        case StoreKey.member, StoreKey.listening: break
        default: try takePlain(key, record)
        }
    }

    /// The first that can be read, or of those that may be older the newest.
    func choose(_ key: [UInt8], _ found: [[UInt8]], _ isNewest: Bool) -> [UInt8]? {
        let sound = found.filter { record in
            key.withUnsafeBytes { key in record.withUnsafeBytes { RecordKind.fields(key, $0) != nil } }
        }
        guard sound.count > 1, !isNewest || sound.first != found.first else { return sound.first }
        return sound.enumerated().max { first, second in
            let (one, two) = (recency(key, first.element), recency(key, second.element))
            return one == two ? first.offset > second.offset : one < two
        }?.element
    }

    func recency(_ key: [UInt8], _ record: [UInt8]) -> UInt64 {
        record.withUnsafeBytes { record in
            switch key.first {
            case StoreKey.current, StoreKey.signal: StateRecord(record)?.stamp.sequence ?? 0
            case StoreKey.cursor: CursorState(anyBoot: record)?.next ?? 0
            case StoreKey.meta: (try? StoreMeta(record))?.counted ?? 0
            case StoreKey.interest: InterestRecord(record)?.logged.index ?? 0
            default: 0
            }
        }
    }

    mutating func takePlain(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        guard let record else { return lose(key, "cannot be read") }
        if key.first == StoreKey.current || key.first == StoreKey.signal {
            let sequence = record.withUnsafeBytes { StateRecord($0)?.stamp.sequence ?? 0 }
            guard sequence < StoreMending.largestNumber else { return lose(key, "cannot be read") }
            newest = max(newest, sequence)
        }
        if key.first == StoreKey.tombstone { tombstones &+= 1 }
        try keep(key, record)
    }

    mutating func takeInterest(_ key: [UInt8], _ record: [UInt8]?) {
        guard var interest = record.flatMap({ $0.withUnsafeBytes { InterestRecord($0) } }) else { return }
        interest.slots = MemberMask()
        interest.durableCount = 0
        interests[Array(key.dropFirst())] = interest
    }

    mutating func takeScheduled(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        let location = Array(key.dropFirst()).withUnsafeBytes { number in
            record.flatMap { $0.withUnsafeBytes { ScheduledMessage($0, underNumber: number)?.key } }
        }
        guard let record, let location, location.number < StoreMending.largestNumber else {
            return lose(key, "cannot be read")
        }
        newest = max(newest, location.number)
        try put([StoreKey.schedule] + location.bytes, [1], isLast: false)
        try put(key, record, isLast: true)
    }
}
