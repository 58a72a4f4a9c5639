/// Makes a store of records that were found in a damaged one: keeps each that can be read, and what can be read of it, and
/// has those agree that count or lead to others.
struct StoreMending {
    private let builder: StoreBuilder
    private let boot = Boot.identity().0
    private(set) var findings: [StoreFinding] = []
    private(set) var keptCount: UInt64 = 0
    /// The number of the last transaction; larger than any that a name is known by.
    private(set) var number: UInt64
    private var meta: StoreMeta?
    /// What the record of the counts says of its form, also if it is not of this one.
    private(set) var metaFormat: UInt32 = 0
    private var newest: UInt64 = 0
    private var tombstones: UInt32 = 0
    private var interests: [[UInt8]: InterestRecord] = [:]
    private var cursors: [[UInt8]: CursorState] = [:]
    /// By identity and sequence.
    private var waiting: [UInt64: [UInt64: WaitingMessage]] = [:]
    /// How many dead letters there are, by identity.
    private var deadCounts: [UInt64: UInt64] = [:]
    private var tail = LogTail()
    private var log = LogTail()
    private var hasLog = false

    init(_ builder: StoreBuilder, number: UInt64) {
        self.builder = builder
        self.number = min(max(number, 1), StoreMending.largestNumber)
    }

    /// What is larger is no number of a message or of a transaction, but damage.
    private static var largestNumber: UInt64 { 1 << 62 }

    private mutating func lose(_ key: [UInt8], _ why: String) {
        guard findings.count < 100_000 else { return }
        findings.append(key.withUnsafeBytes { StoreFinding($0, why) })
    }

    private mutating func keep(_ key: [UInt8], _ record: [UInt8]) throws(CrosstieError) {
        try put(key, record, isLast: true)
    }

    private mutating func put(_ key: [UInt8], _ record: [UInt8], isLast: Bool) throws(CrosstieError) {
        try key.withBytes { key throws(CrosstieError) in
            try record.withBytes { record throws(CrosstieError) in try builder.put(key, record, isLast: isLast) }
        }
        keptCount += 1
    }

    /// Takes what was found under the next key.
    /// - Parameters:
    ///   - found: what can be read of it, the likeliest first.
    ///   - isNewest: whether the first one stood in the newest tree.
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
        case StoreKey.burial: try takeBurial(key, record)
        case StoreKey.scheduled: try takeScheduled(key, record)
        // It is made of what is scheduled.
        case StoreKey.schedule: break
        case StoreKey.log: try takeBlock(key, record ?? found.first)
        // Nobody has it open.
        case StoreKey.member, StoreKey.listening: break
        default: try takePlain(key, record)
        }
    }

    /// The first that can be read, or of those that may be older the newest.
    private func choose(_ key: [UInt8], _ found: [[UInt8]], _ isNewest: Bool) -> [UInt8]? {
        let sound = found.filter { record in
            key.withUnsafeBytes { key in record.withUnsafeBytes { RecordKind.fields(key, $0) != nil } }
        }
        guard sound.count > 1, !isNewest || sound.first != found.first else { return sound.first }
        return sound.enumerated().max { first, second in
            let (one, two) = (recency(key, first.element), recency(key, second.element))
            return one == two ? first.offset > second.offset : one < two
        }?.element
    }

    private func recency(_ key: [UInt8], _ record: [UInt8]) -> UInt64 {
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

    private mutating func takePlain(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        guard let record else { return lose(key, "cannot be read") }
        if key.first == StoreKey.current || key.first == StoreKey.signal {
            let sequence = record.withUnsafeBytes { StateRecord($0)?.stamp.sequence ?? 0 }
            guard sequence < StoreMending.largestNumber else { return lose(key, "cannot be read") }
            newest = max(newest, sequence)
        }
        if key.first == StoreKey.tombstone { tombstones &+= 1 }
        try keep(key, record)
    }

    private mutating func takeInterest(_ key: [UInt8], _ record: [UInt8]?) {
        guard var interest = record.flatMap({ $0.withUnsafeBytes { InterestRecord($0) } }) else { return }
        interest.slots = MemberMask()
        interest.durableCount = 0
        interests[Array(key.dropFirst())] = interest
    }

    // MARK: Durable consumers

    private mutating func takeCursor(_ key: [UInt8], _ record: [UInt8]?) {
        let name = Array(key.dropFirst())
        guard StoreMending.isDurableName(name) else { return lose(key, "cannot be read") }
        if let cursor = record.flatMap({ $0.withUnsafeBytes { try? CursorState($0, boot: boot) } }),
            max(cursor.identity, cursor.shelf, cursor.next) < StoreMending.largestNumber
        {
            cursors[name] = cursor
            number = max(number, cursor.identity, cursor.shelf)
            newest = max(newest, cursor.next)
        } else {
            lose(key, "cannot be read: the name begins with the oldest message that is kept")
            makeCursor(name)
        }
    }

    /// A name that has been given nothing.
    private mutating func makeCursor(_ name: [UInt8]) {
        number += 1
        let topic = name.withUnsafeBytes { CursorKey.topic($0)?.text } ?? []
        var tally = CursorState.Tally()
        tally.taken = interests[topic]?.logged ?? LogTail()
        cursors[name] = CursorState(identity: number, next: 0, tally: tally)
    }

    private static func isDurableName(_ name: [UInt8]) -> Bool {
        name.withUnsafeBytes { bytes in
            guard CursorKey.topic(bytes) != nil, let end = bytes.lastIndex(of: 0) else { return false }
            return (1...Identifier.maximumSize).contains(end)
        }
    }

    private mutating func takeDeclared(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        let name = Array(key.dropFirst())
        guard StoreMending.isDurableName(name) else { return lose(key, "cannot be read") }
        if cursors[name] == nil {
            let cursor = [StoreKey.cursor] + name
            lose(cursor, "is missing: the name begins with the oldest message that is kept")
            makeCursor(name)
        }
        guard let record else { return lose(key, "cannot be read: the name has the defaults") }
        try keep(key, record)
    }

    private mutating func takeWaiting(_ key: [UInt8], _ record: [UInt8]?) {
        let found = Array(key.dropFirst()).withUnsafeBytes { rest -> (UInt64, UInt64)? in
            guard let identity = WaitingKey.identity(rest), let sequence = WaitingKey.sequence(rest) else { return nil }
            return (identity, sequence)
        }
        guard let (identity, sequence) = found else { return lose(key, "cannot be read") }
        let due = record.flatMap { $0.withUnsafeBytes { DueTime($0) } } ?? DueTime(era: 0, clock: 0)
        waiting[identity, default: [:]][sequence] = WaitingMessage(sequence: sequence, attempts: 1, due: due)
    }

    /// The record under a time says how often; where one of the two is lost, the other one stands for both.
    private mutating func takeDue(_ key: [UInt8], _ record: [UInt8]?) {
        let rest = Array(key.dropFirst())
        let attempts: [UInt8] = record ?? [1, 0, 0, 0]
        let found = rest.withUnsafeBytes { rest in
            attempts.withUnsafeBytes { (WaitingKey.identity(rest), WaitingMessage(key: rest, $0)) }
        }
        guard let identity = found.0, let message = found.1 else { return lose(key, "cannot be read") }
        waiting[identity, default: [:]][message.sequence] = message
    }

    /// A dead letter whose record cannot be read is one all the same: its message is still in the log.
    private mutating func takeBurial(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        let location = Array(key.dropFirst()).withUnsafeBytes { (WaitingKey.identity($0), WaitingKey.sequence($0)) }
        guard let identity = location.0, let sequence = location.1 else { return lose(key, "cannot be read") }
        deadCounts[identity, default: 0] += 1
        if let record { return try keep(key, record) }
        lose(key, "cannot be read: why and when it became a dead letter is lost")
        let burial = Burial(sequence: sequence, deliveries: 0, time: 0)
        var bytes = [UInt8](repeating: 0, count: burial.encodedSize)
        bytes.withUnsafeMutableBytes { burial.write(into: $0) }
        try keep(key, bytes)
    }

    // MARK: Scheduled messages

    private mutating func takeScheduled(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
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

    // MARK: The log

    private mutating func takeBlock(_ key: [UInt8], _ record: [UInt8]?) throws(CrosstieError) {
        guard let record, let sequence = key.withUnsafeBytes({ StoreKey.sequence($0) }),
            sequence < StoreMending.largestNumber
        else {
            return lose(key, "cannot be read")
        }
        typealias Kept = (bytes: [UInt8], count: Int, lost: Int)
        let kept: Kept? = try record.withBytes { bytes throws(CrosstieError) in
            guard let block = LogBlock(bytes, sequence: sequence) else { return nil }
            let (changed, removed) = try block.keeping(mends: true) { $0.isSound }
            guard let changed else { return removed == 0 ? (Array(bytes), block.count, 0) : nil }
            return (changed, block.count - removed, removed)
        }
        guard var kept else { return lose(key, "cannot be read") }
        if kept.lost > 0 { lose(key, "has lost \(kept.lost) of \(kept.count + kept.lost) messages") }
        let stated = kept.bytes.withUnsafeBytes { LogBlock($0, sequence: sequence)?.tail ?? LogTail() }
        let least = LogTail(index: tail.index &+ UInt64(kept.count), total: tail.total &+ UInt64(kept.bytes.count))
        let isSensible =
            (!hasLog || stated.index >= least.index && stated.total >= least.total) && stated.index < 1 << 62
            && stated.total < 1 << 62 && stated.index >= UInt64(kept.count)
        tail = isSensible ? stated : least
        LogBlock.setTail(tail, in: &kept.bytes)
        hasLog = true
        log.index &+= UInt64(kept.count)
        log.total &+= UInt64(kept.bytes.count)
        newest = max(newest, sequence)
        try keep(key, kept.bytes)
    }

    // MARK: The end

    /// Writes what depends on everything else.
    mutating func finish() throws(CrosstieError) {
        try putWaiting()
        for (name, cursor) in cursors {
            let topic = name.withUnsafeBytes { CursorKey.topic($0)?.text } ?? []
            interests[topic, default: InterestRecord()].durableCount &+= 1
            var bytes = [UInt8](repeating: 0, count: cursor.encodedSize)
            bytes.withUnsafeMutableBytes { cursor.write(into: $0, boot: boot) }
            try put([StoreKey.cursor] + name, bytes, isLast: false)
        }
        for (topic, interest) in interests where !interest.isVoid {
            var bytes = [UInt8](repeating: 0, count: InterestRecord.size)
            bytes.withUnsafeMutableBytes { interest.write(into: $0) }
            try put([StoreKey.interest] + topic, bytes, isLast: false)
        }
        var bytes = [UInt8](repeating: 0, count: StoreMeta.size)
        let meta = mendedMeta()
        bytes.withUnsafeMutableBytes { meta.write(into: $0) }
        try put([StoreKey.meta], bytes, isLast: false)
    }

    /// What waits for a name that there is, and that the name has been given.
    private mutating func putWaiting() throws(CrosstieError) {
        for (name, cursor) in cursors {
            let given = Set(cursor.outstanding.map(\.sequence))
            var count: UInt64 = 0
            for (sequence, message) in waiting[cursor.shelf] ?? [:] where sequence <= cursor.next {
                if sequence == 0 || given.contains(sequence) { continue }
                let key = WaitingKey.bySequence(sequence, of: cursor.shelf)
                var record = [UInt8](repeating: 0, count: WaitingMessage.size)
                record.withUnsafeMutableBytes { room in
                    room.storeBytes(of: message.due.clock, as: UInt64.self)
                    room.storeBytes(of: message.due.era, toByteOffset: 8, as: UInt32.self)
                }
                try put([StoreKey.waiting] + key, record, isLast: false)
                let time = WaitingKey.byTime(message.due, sequence, of: cursor.shelf)
                let attempts = withUnsafeBytes(of: message.attempts) { Array($0) }
                try put([StoreKey.due] + time, attempts, isLast: false)
                count += 1
            }
            cursors[name] = cursor.with(waitingCount: count, deadCount: deadCounts[cursor.identity] ?? 0)
        }
    }

    private mutating func mendedMeta() -> StoreMeta {
        if meta == nil { findings.append(StoreFinding("meta", "", "cannot be read: it was made anew")) }
        var mended = meta ?? StoreMeta()
        // The state that is written is that of the number; the newest sequence must not go back.
        let stated = meta.map { $0.sequence(ofState: number) } ?? 0
        if stated < newest || stated >= 1 << 62 { mended.offset = newest &- (number &- 1) }
        newest = max(newest, stated < 1 << 62 ? stated : 0)
        mended.tombstones = tombstones
        mended.lastSignal = min(mended.lastSignal, newest)
        mended.forgotten = min(mended.forgotten, newest)
        if mended.destroyedAll.sequence > newest { mended.destroyedAll = Stamp() }
        mended.counted = min(mended.counted, newest)
        mended.dropped = min(mended.dropped, newest)
        mended.purged = min(mended.purged, newest)
        mended.sweepPosition = 0
        mended.sweptUpTo = 0
        mended.swept = 0
        mended.sweepDue = LogTail()
        if hasLog { mended.removed = LogTail(index: tail.index &- log.index, total: tail.total &- log.total) }
        return mended
    }
}

extension LogBlock {
    /// Writes other counts into the bytes of a block.
    static func setTail(_ tail: LogTail, in bytes: inout [UInt8]) {
        guard bytes.count >= headerSize else { return }
        bytes.withUnsafeMutableBytes { room in
            room.storeBytes(of: tail.index, toByteOffset: 16, as: UInt64.self)
            room.storeBytes(of: tail.total, toByteOffset: 24, as: UInt64.self)
        }
    }
}

extension CursorState {
    /// The same with other counts of what waits, and of dead letters.
    func with(waitingCount: UInt64, deadCount: UInt64) -> CursorState {
        var tally = tally
        tally.deadCount = deadCount
        return CursorState(
            identity: identity, next: next, missed: missed, missedOwner: missedOwner, outstanding: outstanding,
            waitingCount: waitingCount, era: era, isTurnOfNew: isTurnOfNew, tally: tally, shelf: shelf)
    }
}
