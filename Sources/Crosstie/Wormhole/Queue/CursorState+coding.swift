/// The record of a cursor: a header of 48 bytes, 28 for each message that is outstanding.
extension CursorState {
    static var format: UInt32 { 1 }
    static var headerSize: Int { 48 }
    static var deliverySize: Int { 28 }
    static var maximumSize: Int { headerSize + maximumOutstanding * deliverySize }

    var encodedSize: Int { CursorState.headerSize + outstanding.count * CursorState.deliverySize }

    /// Reads a record, of which every byte may be wrong.
    /// - Parameter boot: this one of the machine. In a record of another one nobody has anything, and times mean
    ///   nothing.
    init(_ bytes: UnsafeRawBufferPointer, boot: UInt64) throws(CrosstieError) {
        guard let (header, count) = CursorState.header(bytes) else { throw CursorState.damaged }
        let isOfThisBoot = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self) == boot
        var deliveries: [Delivery] = []
        deliveries.reserveCapacity(count)
        for index in 0..<count {
            var delivery = CursorState.delivery(bytes, index)
            guard delivery.sequence <= header.next, delivery.sequence > deliveries.last?.sequence ?? 0,
                delivery.owner != CursorState.done
            else { throw CursorState.damaged }
            if !isOfThisBoot { (delivery.owner, delivery.notBefore) = (CursorState.nobody, 0) }
            deliveries.append(delivery)
        }
        self.init(
            identity: header.identity, next: header.next, missed: header.missed,
            missedOwner: isOfThisBoot ? header.missedOwner : CursorState.nobody, outstanding: deliveries)
    }

    /// Writes the record into room of ``encodedSize``.
    func write(into room: UnsafeMutableRawBufferPointer, boot: UInt64) {
        guard let base = room.baseAddress, room.count >= encodedSize else { return }
        base.storeBytes(of: CursorState.format, as: UInt32.self)
        base.storeBytes(of: UInt32(truncatingIfNeeded: outstanding.count), toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: identity, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: next, toByteOffset: 16, as: UInt64.self)
        base.storeBytes(of: missed, toByteOffset: 24, as: UInt64.self)
        base.storeBytes(of: boot, toByteOffset: 32, as: UInt64.self)
        base.storeBytes(of: missedOwner, toByteOffset: 40, as: UInt64.self)
        var place = base + CursorState.headerSize
        for delivery in outstanding {
            place.storeBytes(of: delivery.sequence, as: UInt64.self)
            place.storeBytes(of: delivery.owner, toByteOffset: 8, as: UInt64.self)
            place.storeBytes(of: delivery.notBefore, toByteOffset: 16, as: UInt64.self)
            place.storeBytes(of: delivery.attempts, toByteOffset: 24, as: UInt32.self)
            place += CursorState.deliverySize
        }
    }

    /// What stands in the header, and how many deliveries follow; nil for what is no record.
    private static func header(_ bytes: UnsafeRawBufferPointer) -> (CursorState, count: Int)? {
        guard bytes.count >= headerSize, bytes.loadUnaligned(as: UInt32.self) == format else { return nil }
        let count = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard count <= maximumOutstanding, bytes.count == headerSize + count * deliverySize else { return nil }
        let state = CursorState(
            identity: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            next: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            missed: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self),
            missedOwner: bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
        return (state, count)
    }

    /// The delivery of an index below the count that the header tells.
    private static func delivery(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Delivery {
        let place = headerSize + index * deliverySize
        return Delivery(
            sequence: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self),
            attempts: bytes.loadUnaligned(fromByteOffset: place + 24, as: UInt32.self),
            owner: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self),
            notBefore: bytes.loadUnaligned(fromByteOffset: place + 16, as: UInt64.self))
    }

    private static var damaged: CrosstieError { CrosstieError(.corrupt, "what is kept for a durable name is damaged") }
}
