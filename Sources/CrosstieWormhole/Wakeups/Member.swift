/// Who has taken a slot, by its own account.
struct Member: Equatable {
    let process: ProcessIdentity
    /// When it took the slot: nanoseconds since 1970-01-01 UTC.
    let since: Int64
    let name: String
}

extension Wakeups {
    /// What a slot tells of its owner; nil for one that is free. The memory may change while it is read: whoever
    /// reads twice the same has read what was there.
    func member(_ slot: Int) -> Member? {
        guard isLive(slot) else { return nil }
        let record = record(slot)
        let size = record.load(fromByteOffset: Wakeups.nameSizeOffset, as: UInt32.self)
        let name = UnsafeRawBufferPointer(
            start: record + Wakeups.nameOffset, count: min(Int(size), Wakeups.maximumNameSize))
        return Member(
            process: process(slot), since: since(slot), name: String(decoding: name, as: UTF8.self))
    }

    /// Says who has a slot.
    func describe(_ slot: Int, _ member: Member) {
        let record = record(slot)
        let name = Array(member.name.utf8.prefix(Wakeups.maximumNameSize))
        record.storeBytes(of: member.process.pid, toByteOffset: Wakeups.pidOffset, as: Int32.self)
        record.storeBytes(of: member.process.namespace, toByteOffset: Wakeups.namespaceOffset, as: UInt64.self)
        record.storeBytes(of: UInt32(name.count), toByteOffset: Wakeups.nameSizeOffset, as: UInt32.self)
        record.storeBytes(of: member.process.start, toByteOffset: Wakeups.startOffset, as: UInt64.self)
        record.storeBytes(of: member.since, toByteOffset: Wakeups.sinceOffset, as: Int64.self)
        name.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            (record + Wakeups.nameOffset).copyMemory(from: source, byteCount: bytes.count)
        }
    }
}
