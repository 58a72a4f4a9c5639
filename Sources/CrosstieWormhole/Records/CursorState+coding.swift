/// The record of a cursor: a header of 112 bytes, 28 for each message that is outstanding.
extension CursorState {
    /// The fields of the header.
    enum Layout {
        static var format: RecordField<UInt32> { RecordField(0) }
        static var count: RecordField<UInt32> { RecordField(4) }
        static var identity: RecordField<UInt64> { RecordField(8) }
        static var next: RecordField<UInt64> { RecordField(16) }
        static var missed: RecordField<UInt64> { RecordField(24) }
        static var boot: RecordField<UInt64> { RecordField(32) }
        static var missedOwner: RecordField<UInt64> { RecordField(40) }
        static var waitingCount: RecordField<UInt64> { RecordField(48) }
        static var era: RecordField<UInt32> { RecordField(56) }
        static var turn: RecordField<UInt32> { RecordField(60) }
        static var takenIndex: RecordField<UInt64> { RecordField(64) }
        static var takenTotal: RecordField<UInt64> { RecordField(72) }
        static var deliveries: RecordField<UInt64> { RecordField(80) }
        static var deadCount: RecordField<UInt64> { RecordField(88) }
        static var boundAt: RecordField<Int64> { RecordField(96) }
        static var shelf: RecordField<UInt64> { RecordField(104) }
        static var size: Int { 112 }
    }

    static var format: UInt32 { 1 }
    static var headerSize: Int { Layout.size }
    static var deliverySize: Int { Delivery.Layout.size }
    static var maximumSize: Int { headerSize + maximumOutstanding * deliverySize }

    var encodedSize: Int { CursorState.headerSize + outstanding.count * CursorState.deliverySize }

    /// Reads a record, of which every byte may be wrong.
    /// - Parameter boot: the current boot of the machine. In a record of another one no message is in hand, and times
    ///   have no meaning.
    @inline(never)
    init(_ bytes: UnsafeRawBufferPointer, boot: UInt64) throws(CrosstieError) {
        guard let count = CursorState.deliveryCount(bytes) else { throw CursorState.damaged }
        let isOfThisBoot = bytes[Layout.boot] == boot
        let next = bytes[Layout.next]
        let era = bytes[Layout.era]
        let missedOwner = bytes[Layout.missedOwner]
        self.init(
            identity: bytes[Layout.identity], next: next, missed: bytes[Layout.missed],
            missedOwner: isOfThisBoot ? missedOwner : CursorState.nobody,
            outstanding: count == 0 ? [] : try CursorState.deliveries(bytes, count, upTo: next, isOfThisBoot),
            waitingCount: bytes[Layout.waitingCount],
            era: isOfThisBoot ? era : era &+ 1,
            isTurnOfNew: bytes[Layout.turn] == 1, tally: Tally(bytes), shelf: bytes[Layout.shelf])
    }

    @inline(never)
    private static func deliveries(
        _ bytes: UnsafeRawBufferPointer, _ count: Int, upTo next: UInt64, _ isOfThisBoot: Bool
    ) throws(CrosstieError) -> [Delivery] {
        var deliveries: [Delivery] = []
        deliveries.reserveCapacity(count)
        for index in 0..<count {
            var delivery = delivery(bytes, index)
            guard delivery.sequence <= next, delivery.sequence > deliveries.last?.sequence ?? 0, delivery.owner != done
            else { throw damaged }
            if !isOfThisBoot, delivery.owner != nobody { (delivery.owner, delivery.isUncertain) = (nobody, true) }
            deliveries.append(delivery)
        }
        return deliveries
    }

    /// Writes the record into room of ``encodedSize``.
    @inline(never)
    func write(into room: UnsafeMutableRawBufferPointer, boot: UInt64) {
        guard let base = room.baseAddress, room.count >= encodedSize else { return }
        base[Layout.format] = CursorState.format
        base[Layout.count] = UInt32(truncatingIfNeeded: outstanding.count)
        base[Layout.identity] = identity
        base[Layout.next] = next
        base[Layout.missed] = missed
        base[Layout.boot] = boot
        base[Layout.missedOwner] = missedOwner
        base[Layout.waitingCount] = waitingCount
        base[Layout.era] = era
        base[Layout.turn] = isTurnOfNew ? 1 : 0
        tally.write(base)
        let (uncertain, retried) = (CursorState.uncertain, CursorState.retried)
        base[Layout.shelf] = shelf
        var position = base + CursorState.headerSize
        for delivery in outstanding {
            position[Delivery.Layout.sequence] = delivery.sequence
            position[Delivery.Layout.owner] = delivery.owner
            let bits = (delivery.isUncertain ? uncertain : 0) | (delivery.isRetried ? retried : 0)
            let attempts = min(delivery.attempts, Delivery.mostAttempts)
            position[Delivery.Layout.attempts] = attempts | bits
            position[Delivery.Layout.since] = delivery.since
            position += CursorState.deliverySize
        }
    }

    /// The number of deliveries behind the header; nil for a malformed record.
    private static func deliveryCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerSize, bytes[Layout.format] == format else { return nil }
        let count = Int(bytes[Layout.count])
        let turn = bytes[Layout.turn]
        guard count <= maximumOutstanding, bytes.count == headerSize + count * deliverySize, turn <= 1 else {
            return nil
        }
        return count
    }

    /// The delivery of an index below the count in the header.
    private static func delivery(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Delivery {
        let position = headerSize + index * deliverySize
        let attempts = bytes[Delivery.Layout.attempts, at: position]
        return Delivery(
            sequence: bytes[Delivery.Layout.sequence, at: position],
            attempts: attempts & Delivery.mostAttempts,
            owner: bytes[Delivery.Layout.owner, at: position],
            isUncertain: attempts & uncertain != 0, isRetried: attempts & retried != 0,
            since: bytes[Delivery.Layout.since, at: position])
    }

    /// The bits beside the attempts that say so of a delivery.
    private static var uncertain: UInt32 { 1 << 31 }
    private static var retried: UInt32 { 1 << 30 }

    /// The messages that the consumer has looked at or lost, from a record.
    static func taken(_ bytes: UnsafeRawBufferPointer) -> LogTail? {
        guard bytes.count >= headerSize, bytes[Layout.format] == format else { return nil }
        return Tally(bytes).taken
    }

    /// The identity and the shelf in a record, even if the rest cannot be read.
    static func numbers(_ bytes: UnsafeRawBufferPointer) -> (identity: UInt64, shelf: UInt64)? {
        guard bytes.count >= headerSize else { return nil }
        return (
            bytes[Layout.identity], bytes[Layout.shelf]
        )
    }

    /// Notes in a record that nothing waits for its next try any more, and that there are no dead letters.
    static func forgetWaiting(in bytes: inout [UInt8]) {
        guard bytes.count >= headerSize else { return }
        bytes.withUnsafeMutableBytes { room in
            room[Layout.waitingCount] = 0
            room[Layout.deadCount] = 0
        }
    }

    private static var damaged: CrosstieError {
        CrosstieError(.corruptData, "the record of a durable consumer is damaged")
    }
}

extension CursorState.Tally {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        typealias Layout = CursorState.Layout
        taken.index = bytes[Layout.takenIndex]
        taken.total = bytes[Layout.takenTotal]
        deliveries = bytes[Layout.deliveries]
        deadCount = bytes[Layout.deadCount]
        boundAt = bytes[Layout.boundAt]
    }

    fileprivate func write(_ base: UnsafeMutableRawPointer) {
        typealias Layout = CursorState.Layout
        base[Layout.takenIndex] = taken.index
        base[Layout.takenTotal] = taken.total
        base[Layout.deliveries] = deliveries
        base[Layout.deadCount] = deadCount
        base[Layout.boundAt] = boundAt
    }
}

extension CursorState.Delivery {
    /// The fields of a delivery in the record.
    enum Layout {
        static var sequence: RecordField<UInt64> { RecordField(0) }
        static var owner: RecordField<UInt64> { RecordField(8) }
        /// The attempts, with ``CursorState/uncertain`` and ``CursorState/retried``.
        static var attempts: RecordField<UInt32> { RecordField(16) }
        static var since: RecordField<Int64> { RecordField(20) }
        static var size: Int { 28 }
    }
}
