/// Who needs what of the log, at the time of a transaction.
struct TrimView {
    /// By position: for each interest who needs its messages. The topics of cursors that have lost theirs come last.
    private let table: InterestTable
    private var needs: [Need]
    private var cursors: StoredCursors
    private let boot: UInt64
    /// Messages below this number are of no use to anybody.
    private var floor = UInt64.max
    /// What has been dropped; what waits of it is removed when nobody looks at blocks any more.
    private var dropped: [UInt64] = []

    private struct Need {
        /// Whoever is furthest behind needs what comes after this number; the largest one if nobody does.
        var after = UInt64.max
        /// The cursors which may also need something before it.
        var cursors: [Int] = []
    }

    /// The interests have been read. A cursor that cannot be needs nothing.
    init(_ group: Group, _ transaction: borrowing StoreTransaction) throws(CrosstieError) {
        boot = group.boot
        cursors = try StoredCursors(transaction, boot: boot)
        table = TrimView.table(group.interests.table, with: cursors)
        needs = table.interests.map { interest in
            var need = Need()
            interest.slots.forEach { slot in
                need.after = min(need.after, group.bells.queuesHeard(slot).pointee.load(ordering: .acquiring))
            }
            return need
        }
        for need in needs where need.after < .max { floor = min(floor, need.after &+ 1) }
        floor = min(floor, try cursors.firstWaiting(in: transaction))
        for (index, cursor) in cursors.cursors.enumerated() {
            floor = min(floor, cursor.state.floor)
            table.forEach(of: cursor.topic) { position in
                needs[position].after = min(needs[position].after, cursor.state.next)
                if cursor.state.isBehind { needs[position].cursors.append(index) }
            }
        }
    }

    /// The interests, and the topics of cursors that have none, since a record was damaged.
    private static func table(_ known: InterestTable, with cursors: StoredCursors) -> InterestTable {
        let strays = cursors.cursors.filter { !known.contains($0.topic) }
        if strays.isEmpty { return known }
        let table = InterestTable()
        for interest in known.interests {
            var record = InterestRecord()
            record.slots = interest.slots
            table.add(interest.topic, record)
        }
        for stray in strays { table.add(stray.topic, InterestRecord()) }
        return table
    }

    mutating func needs(
        _ block: LogBlock, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> Bool {
        guard block.sequence >= floor else { return false }
        return try block.forEach { _, record throws(CrosstieError) in
            guard let record, try needs(record, transaction) else { return .next }
            return .stop
        } == .stop
    }

    /// The numbers of a block's messages that nobody needs.
    mutating func needless(
        in block: LogBlock, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) -> [UInt64] {
        var found: [UInt64] = []
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

    /// Counts the messages of a block up to a number, which are dropped although somebody needs one.
    mutating func drop(
        _ block: LogBlock, upTo number: UInt64, _ transaction: borrowing StoreTransaction
    ) throws(CrosstieError) {
        guard !cursors.isEmpty else { return }
        _ = try block.forEach { sequence, record in
            guard let record, sequence <= number else { return .stop }
            cursors.forEach { cursor in if cursor.topic.covers(record) { cursor.drop(sequence) } }
            dropped.append(sequence)
            return .next
        }
    }

    /// Stands for who needs what of the messages up to a number: while it stays the same nothing of them that was needed
    /// has become needless. How far somebody has come in what was dropped makes no difference.
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

    /// Stores what was counted.
    mutating func finish(_ transaction: borrowing StoreTransaction) throws(CrosstieError) {
        try cursors.loseWaiting(dropped, in: transaction)
        try cursors.store(transaction, boot: boot)
    }
}
