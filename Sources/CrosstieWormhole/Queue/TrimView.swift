/// The consumers' needs of the log, at the time of a transaction.
struct TrimView {
    /// The interests by their positions, then the topics of cursors that have lost their interest.
    private let table: InterestTable
    private var needs: [Need]
    private var cursors: StoredCursors
    private let boot: UInt64
    /// Messages below this number are of no use to anybody.
    private var floor = UInt64.max
    /// The dropped messages; those of them that wait are removed once no more blocks are looked at.
    private var dropped: [UInt64] = []
    /// The messages kept without a consumer.
    private let retention: Retention?
    /// The messages needed by consumers that never drop any: the log may have about that many more.
    private(set) var protected = LogTail()
    private(set) var hasProtected = false

    private struct Need {
        /// The number after which some consumer needs messages; the largest one if none does.
        var after = UInt64.max
        /// The cursors which may also need something before it.
        var cursors: [Int] = []
        /// Those from which nothing is dropped.
        var protected: [Int] = []
    }

    /// The interests have been read. A cursor that cannot be needs nothing.
    init(
        _ group: Group, _ transaction: borrowing StoreTransaction, _ retention: Retention?
    ) throws(CrosstieError) {
        boot = group.boot
        self.retention = retention
        cursors = try StoredCursors(transaction, group.knownConsumers, boot: boot)
        cursors.protect(group.interests.table.limited)
        table = TrimView.table(group.interests.table, with: cursors)
        needs = table.interests.map { interest in
            if interest.slots.isEmpty { return Need() }
            var need = Need()
            interest.slots.forEach { slot in
                need.after = min(need.after, group.wakeups.queuesConsumed(slot).pointee.load(ordering: .acquiring))
            }
            return need
        }
        for need in needs where need.after < .max { floor = min(floor, need.after &+ 1) }
        floor = min(floor, try cursors.firstWaiting(in: transaction))
        for index in cursors.cursors.indices { enter(index) }
        for index in cursors.cursors.indices where cursors.cursors[index].isProtected {
            hasProtected = true
            protected.add(try TrimView.needed(by: cursors.cursors[index], transaction))
        }
    }

    /// Notes the needs of a cursor, by its index.
    @inline(__always)
    private mutating func enter(_ index: Int) {
        let (next, isBehind) = (cursors.cursors[index].state.next, cursors.cursors[index].state.isBehind)
        let isProtected = cursors.cursors[index].isProtected
        floor = min(floor, isBehind ? cursors.cursors[index].state.floor : next &+ 1)
        table.forEach(of: cursors.cursors[index].topic) { position in
            needs[position].after = min(needs[position].after, next)
            if isBehind { needs[position].cursors.append(index) }
            if isProtected { needs[position].protected.append(index) }
        }
    }

    /// About how much a consumer needs. Everything has been counted.
    private static func needed(
        by cursor: StoredCursors.Cursor, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> LogTail {
        let logged = try transaction.interest(cursor.topic)?.logged ?? LogTail()
        var needed = logged.since(cursor.state.tally.taken)
        let held =
            UInt64(cursor.state.outstanding.count) &+ min(cursor.state.waitingCount, 1 << 40)
            &+ min(cursor.state.tally.deadCount, 1 << 40)
        let average = needed.index > 0 ? needed.total / needed.index : 0
        needed.index &+= held
        // A message of a block may need a header, two names and an identifier.
        needed.total &+= min(held, 1 << 40) &* min(average, 1 << 22) &+ needed.index &* 256
        return needed
    }

    /// The interests, and the topics of cursors that have none, since a record was damaged.
    private static func table(_ known: InterestTable, with cursors: StoredCursors) -> InterestTable {
        var strays: [Topic] = []
        for index in cursors.cursors.indices where !known.contains(cursors.cursors[index].topic) {
            strays.append(cursors.cursors[index].topic)
        }
        if strays.isEmpty { return known }
        let table = InterestTable()
        for interest in known.interests {
            var record = InterestRecord()
            record.slots = interest.slots
            table.add(interest.topic, record)
        }
        for stray in strays { table.add(stray, InterestRecord()) }
        return table
    }

    mutating func needs(
        _ block: LogBlock, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        if let retention, retention.keeps(block) { return true }
        guard block.sequence >= floor else { return false }
        return try block.forEach { _, record throws(CrosstieError) in
            guard let record, try needs(record, transaction) else { return .next }
            return .stop
        } == .stop
    }

    /// The numbers of a block's messages that no consumer needs.
    mutating func needless(
        in block: LogBlock, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> [UInt64] {
        var found: [UInt64] = []
        if let retention, retention.keeps(block) { return found }
        _ = try block.forEach { sequence, record throws(CrosstieError) in
            if let record, try !needs(record, transaction) { found.append(sequence) }
            return .next
        }
        return found
    }

    private mutating func needs(
        _ record: LogRecord, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        let sequence = record.stamp.sequence
        guard sequence >= floor else { return false }
        var isNeeded = false
        table.forEach(in: Identifier(record.identifier)) { position in
            if isNeeded { return }
            isNeeded =
                sequence > needs[position].after
                || needs[position].cursors.contains { cursors.cursors[$0].state.needs(sequence) }
        }
        if isNeeded { return true }
        return try cursors.isWaiting(sequence, in: transaction)
    }

    /// Drops the first messages of a block although a consumer needs one, up to the given count. Messages needed by a
    /// consumer that never drops any remain for it; for all others they count as dropped.
    ///
    /// - Returns: the number of the last one, and those that remain.
    mutating func drop(
        _ block: LogBlock, count: Int, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> (last: UInt64, kept: [UInt64]) {
        var (last, kept, left) = (UInt64(0), [UInt64](), count)
        _ = try block.forEach { sequence, record throws(CrosstieError) in
            guard left > 0 else { return .stop }
            last = sequence
            guard let record else { return .next }
            if try isProtected(record, transaction) {
                kept.append(sequence)
            } else {
                left -= 1
                if !cursors.isEmpty { dropped.append(sequence) }
            }
            try cursors.drop(record, in: transaction)
            return .next
        }
        return (last, kept)
    }

    private mutating func isProtected(
        _ record: LogRecord, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        guard hasProtected else { return false }
        let sequence = record.stamp.sequence
        var isNeeded = false
        table.forEach(in: Identifier(record.identifier)) { position in
            if isNeeded { return }
            isNeeded = needs[position].protected.contains { cursors.cursors[$0].state.needs(sequence) }
        }
        if isNeeded { return true }
        return try cursors.isWaiting(sequence, onlyProtected: true, in: transaction)
    }

    /// Whether needed messages may have become needless by time alone.
    var isTimed: Bool { retention != nil }

    /// A fingerprint of the needs up to a number: while it is the same, no message there that was needed has become
    /// unneeded. The progress of a consumer within dropped messages does not change it.
    func fingerprint(upTo number: UInt64, dropped: UInt64) -> UInt64 {
        var sum: UInt64 = 0
        for (interest, need) in zip(table.interests, needs) {
            if need.after < number {
                sum &+= TrimView.mix(interest.topic.hash, need.after <= dropped ? 0 : need.after)
            }
            for index in need.cursors {
                let state = cursors.cursors[index].state
                sum &+= TrimView.mix(interest.topic.hash, ~state.waitingCount)
                sum &+= TrimView.mix(~interest.topic.hash, ~state.tally.deadCount)
                for delivery in cursors.cursors[index].state.outstanding where delivery.sequence <= number {
                    sum &+= TrimView.mix(~interest.topic.hash, delivery.sequence)
                }
            }
        }
        return sum
    }

    private static func mix(_ hash: UInt64, _ number: UInt64) -> UInt64 {
        let product = (hash ^ number &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }

    /// Stores the counts.
    mutating func finish(_ transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try cursors.loseWaiting(dropped, in: transaction)
        try cursors.store(transaction, boot: boot)
    }
}
