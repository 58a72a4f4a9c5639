/// The record of a cursor: a header of 112 bytes, 28 for each message that is outstanding.
extension CursorState {
    static var format: UInt32 { 1 }
    static var headerSize: Int { 112 }
    static var deliverySize: Int { 28 }
    static var maximumSize: Int { headerSize + maximumOutstanding * deliverySize }
    private static var shelfOffset: Int { 104 }
    private static var waitingCountOffset: Int { 48 }
    private static var deadCountOffset: Int { 88 }

    var encodedSize: Int { CursorState.headerSize + outstanding.count * CursorState.deliverySize }

    /// Reads a record, of which every byte may be wrong.
    /// - Parameter boot: this one of the machine. In a record of another one nobody has anything, and times mean
    ///   nothing.
    @inline(never)
    init(_ bytes: UnsafeRawBufferPointer, boot: UInt64) throws(CrosstieError) {
        guard let count = CursorState.deliveryCount(bytes) else { throw CursorState.damaged }
        let isOfThisBoot = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self) == boot
        let next = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        let era = bytes.loadUnaligned(fromByteOffset: 56, as: UInt32.self)
        let missedOwner = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
        self.init(
            identity: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self), next: next,
            missed: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self),
            missedOwner: isOfThisBoot ? missedOwner : CursorState.nobody,
            outstanding: count == 0 ? [] : try CursorState.deliveries(bytes, count, upTo: next, isOfThisBoot),
            waitingCount: bytes.loadUnaligned(fromByteOffset: CursorState.waitingCountOffset, as: UInt64.self),
            era: isOfThisBoot ? era : era &+ 1,
            isTurnOfNew: bytes.loadUnaligned(fromByteOffset: 60, as: UInt32.self) == 1, tally: Tally(bytes, at: 64),
            shelf: bytes.loadUnaligned(fromByteOffset: CursorState.shelfOffset, as: UInt64.self))
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
        base.storeBytes(of: CursorState.format, as: UInt32.self)
        base.storeBytes(of: UInt32(truncatingIfNeeded: outstanding.count), toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: identity, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: next, toByteOffset: 16, as: UInt64.self)
        base.storeBytes(of: missed, toByteOffset: 24, as: UInt64.self)
        base.storeBytes(of: boot, toByteOffset: 32, as: UInt64.self)
        base.storeBytes(of: missedOwner, toByteOffset: 40, as: UInt64.self)
        base.storeBytes(of: waitingCount, toByteOffset: CursorState.waitingCountOffset, as: UInt64.self)
        base.storeBytes(of: era, toByteOffset: 56, as: UInt32.self)
        base.storeBytes(of: isTurnOfNew ? 1 : 0, toByteOffset: 60, as: UInt32.self)
        tally.write(base + 64)
        let (uncertain, retried) = (CursorState.uncertain, CursorState.retried)
        base.storeBytes(of: shelf, toByteOffset: CursorState.shelfOffset, as: UInt64.self)
        var position = base + CursorState.headerSize
        for delivery in outstanding {
            position.storeBytes(of: delivery.sequence, as: UInt64.self)
            position.storeBytes(of: delivery.owner, toByteOffset: 8, as: UInt64.self)
            let bits = (delivery.isUncertain ? uncertain : 0) | (delivery.isRetried ? retried : 0)
            let attempts = min(delivery.attempts, Delivery.mostAttempts)
            position.storeBytes(of: attempts | bits, toByteOffset: 16, as: UInt32.self)
            position.storeBytes(of: delivery.since, toByteOffset: 20, as: Int64.self)
            position += CursorState.deliverySize
        }
    }

    /// How many deliveries follow the header; nil for what is no record.
    private static func deliveryCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerSize, bytes.loadUnaligned(as: UInt32.self) == format else { return nil }
        let count = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let turn = bytes.loadUnaligned(fromByteOffset: 60, as: UInt32.self)
        guard count <= maximumOutstanding, bytes.count == headerSize + count * deliverySize, turn <= 1 else {
            return nil
        }
        return count
    }

    /// The delivery of an index below the count that the header tells.
    private static func delivery(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Delivery {
        let position = headerSize + index * deliverySize
        let attempts = bytes.loadUnaligned(fromByteOffset: position + 16, as: UInt32.self)
        return Delivery(
            sequence: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self),
            attempts: attempts & Delivery.mostAttempts,
            owner: bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self),
            isUncertain: attempts & uncertain != 0, isRetried: attempts & retried != 0,
            since: bytes.loadUnaligned(fromByteOffset: position + 20, as: Int64.self))
    }

    /// The bits beside the attempts that say so of a delivery.
    private static var uncertain: UInt32 { 1 << 31 }
    private static var retried: UInt32 { 1 << 30 }

    /// What the name has looked at or lost, as it stands in a record.
    static func taken(_ bytes: UnsafeRawBufferPointer) -> LogTail? {
        guard bytes.count >= headerSize, bytes.loadUnaligned(as: UInt32.self) == format else { return nil }
        return Tally(bytes, at: 64).taken
    }

    /// The identity and the shelf that stand in a record, also in one that cannot be read otherwise.
    static func numbers(_ bytes: UnsafeRawBufferPointer) -> (identity: UInt64, shelf: UInt64)? {
        guard bytes.count >= headerSize else { return nil }
        return (
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: shelfOffset, as: UInt64.self)
        )
    }

    /// Notes in a record that nothing waits for its next try any more, and that there are no dead letters.
    static func forgetWaiting(in bytes: inout [UInt8]) {
        guard bytes.count >= headerSize else { return }
        for position in [waitingCountOffset, deadCountOffset] {
            bytes.replaceSubrange(position..<position + 8, with: repeatElement(0, count: 8))
        }
    }

    private static var damaged: CrosstieError {
        CrosstieError(.corruptData, "what is kept for a durable consumer is damaged")
    }
}

extension CursorState.Tally {
    fileprivate init(_ bytes: UnsafeRawBufferPointer, at position: Int) {
        taken.index = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        taken.total = bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)
        deliveries = bytes.loadUnaligned(fromByteOffset: position + 16, as: UInt64.self)
        deadCount = bytes.loadUnaligned(fromByteOffset: position + 24, as: UInt64.self)
        boundAt = bytes.loadUnaligned(fromByteOffset: position + 32, as: Int64.self)
    }

    fileprivate func write(_ position: UnsafeMutableRawPointer) {
        position.storeBytes(of: taken.index, as: UInt64.self)
        position.storeBytes(of: taken.total, toByteOffset: 8, as: UInt64.self)
        position.storeBytes(of: deliveries, toByteOffset: 16, as: UInt64.self)
        position.storeBytes(of: deadCount, toByteOffset: 24, as: UInt64.self)
        position.storeBytes(of: boundAt, toByteOffset: 32, as: Int64.self)
    }
}
