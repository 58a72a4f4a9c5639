/// The owner of a slot, by its own account.
struct Member: Equatable {
    let process: ProcessIdentity
    /// When it took the slot: nanoseconds since 1970-01-01 UTC.
    let since: Int64
    let name: String
}

extension Wakeups {
    /// The slot's description of its owner; nil for a free slot. The memory may change while it is read: only two equal
    /// readings in a row are reliable.
    func member(_ slot: Int) -> Member? {
        guard isLive(slot) else { return nil }
        let record = record(slot)
        let size = record[SlotLayout.nameSize]
        let name = UnsafeRawBufferPointer(
            start: record + SlotLayout.nameOffset, count: min(Int(size), Wakeups.maximumNameSize))
        return Member(
            process: process(slot), since: since(slot), name: String(decoding: name, as: UTF8.self))
    }

    /// Describes the owner of a slot.
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
