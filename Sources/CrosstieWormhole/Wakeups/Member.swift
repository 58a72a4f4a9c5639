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
        let size = record[SlotLayout.nameSize]
        let name = UnsafeRawBufferPointer(
            start: record + SlotLayout.nameOffset, count: min(Int(size), Wakeups.maximumNameSize))
        return Member(
            process: process(slot), since: since(slot), name: String(decoding: name, as: UTF8.self))
    }

    /// Says who has a slot.
    func describe(_ slot: Int, _ member: Member) {
        let record = record(slot)
        let name = Array(member.name.utf8.prefix(Wakeups.maximumNameSize))
        record[SlotLayout.pid] = member.process.pid
        record[SlotLayout.namespace] = member.process.namespace
        record[SlotLayout.nameSize] = UInt32(name.count)
        record[SlotLayout.start] = member.process.start
        record[SlotLayout.since] = member.since
        name.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            (record + SlotLayout.nameOffset).copyMemory(from: source, byteCount: bytes.count)
        }
    }
}
