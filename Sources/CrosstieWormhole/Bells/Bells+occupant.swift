/// Who has taken a slot, by its own account.
struct Occupant: Equatable {
    let process: ProcessIdentity
    /// When it took the slot: nanoseconds since 1970-01-01 UTC.
    let since: Int64
    let name: String
}

extension Bells {
    /// What a slot tells of its owner; nil for one that is free. The memory may change while it is read: whoever
    /// reads twice the same has read what was there.
    func occupant(_ slot: Int) -> Occupant? {
        guard isLive(slot) else { return nil }
        let record = record(slot)
        let size = record.load(fromByteOffset: Bells.nameSizeOffset, as: UInt32.self)
        let name = UnsafeRawBufferPointer(
            start: record + Bells.nameOffset, count: min(Int(size), Bells.maximumNameSize))
        return Occupant(
            process: process(slot), since: since(slot), name: String(decoding: name, as: UTF8.self))
    }

    /// Says who has a slot.
    func describe(_ slot: Int, _ occupant: Occupant) {
        let record = record(slot)
        let name = Array(occupant.name.utf8.prefix(Bells.maximumNameSize))
        record.storeBytes(of: occupant.process.pid, toByteOffset: Bells.pidOffset, as: Int32.self)
        record.storeBytes(of: occupant.process.namespace, toByteOffset: Bells.namespaceOffset, as: UInt64.self)
        record.storeBytes(of: UInt32(name.count), toByteOffset: Bells.nameSizeOffset, as: UInt32.self)
        record.storeBytes(of: occupant.process.start, toByteOffset: Bells.startOffset, as: UInt64.self)
        record.storeBytes(of: occupant.since, toByteOffset: Bells.sinceOffset, as: Int64.self)
        name.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            (record + Bells.nameOffset).copyMemory(from: source, byteCount: bytes.count)
        }
    }
}
