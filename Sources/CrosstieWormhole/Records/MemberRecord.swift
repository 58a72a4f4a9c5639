internal import Glibc

/// A member of a group whose records a host keeps: a record of the store, by slot, from which every process learns the
/// other members and the progress of their queues.
struct MemberRecord {
    var member: Member
    /// The number that the transport gave it; 0 when the transport knows no members.
    var transportID: UInt64
    /// The number up to which its queue listeners have consumed everything; `UInt64.max` when it has none.
    var consumed: UInt64 = .max
    /// The boot in which the process started.
    var boot: UInt64 = Boot.identity().0

    static var format: UInt8 { 1 }
    private static var headerSize: Int { 56 }

    init(_ member: Member, transportID: UInt64) {
        self.member = member
        self.transportID = transportID
    }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemberRecord.headerSize, bytes[0] == MemberRecord.format,
            Int(bytes[1]) <= Wakeups.maximumNameSize,
            MemberRecord.headerSize + Int(bytes[1]) <= bytes.count
        else { return nil }
        member = Member(
            process: ProcessIdentity(
                pid: bytes.loadUnaligned(fromByteOffset: 4, as: Int32.self),
                start: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                namespace: bytes.loadUnaligned(fromByteOffset: 48, as: UInt64.self)),
            since: bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self),
            name: String(
                decoding: bytes[MemberRecord.headerSize..<MemberRecord.headerSize + Int(bytes[1])], as: UTF8.self))
        transportID = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        consumed = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
        boot = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    }

    /// The record's bytes.
    var encoded: [UInt8] {
        let name = member.name.utf8.prefix(Wakeups.maximumNameSize)
        var bytes = [UInt8](repeating: 0, count: MemberRecord.headerSize)
        bytes.withUnsafeMutableBytes { room in
            room[0] = MemberRecord.format
            room[1] = UInt8(truncatingIfNeeded: name.count)
            room.storeBytes(of: member.process.pid, toByteOffset: 4, as: Int32.self)
            room.storeBytes(of: member.process.start, toByteOffset: 8, as: UInt64.self)
            room.storeBytes(of: member.since, toByteOffset: 16, as: Int64.self)
            room.storeBytes(of: transportID, toByteOffset: 24, as: UInt64.self)
            room.storeBytes(of: consumed, toByteOffset: 32, as: UInt64.self)
            room.storeBytes(of: boot, toByteOffset: 40, as: UInt64.self)
            room.storeBytes(of: member.process.namespace, toByteOffset: 48, as: UInt64.self)
        }
        return bytes + name
    }

    /// Whether its process lives, for a transport that knows no members: one of this machine, and of this boot. One of
    /// another PID namespace cannot be looked for, and counts as living.
    func hasLivingProcess(seenFrom namespace: UInt64) -> Bool {
        boot == Boot.identity().0 && !member.process.isKnownDead(from: namespace)
    }
}

extension StoreTransaction {
    /// The members in the store, by slot. Malformed records are skipped.
    func memberRecords() throws(CrosstieError) -> [Int: MemberRecord] {
        var found: [Int: MemberRecord] = [:]
        try scan(StoreKey.member) { name, record throws(CrosstieError) in
            if name.count == 1, let member = MemberRecord(record) { found[Int(name[0])] = member }
            return .next
        }
        return found
    }

    func put(_ record: MemberRecord, slot: Int) throws(CrosstieError) {
        let bytes = record.encoded
        try MemberRecord.key(slot).withBytes { name throws(CrosstieError) in
            let room = try reserve(StoreKey.member, name, size: bytes.count)
            room.copyBytes(from: bytes)
        }
    }

    func removeMember(_ slot: Int) throws(CrosstieError) {
        try MemberRecord.key(slot).withBytes { name throws(CrosstieError) in try remove(StoreKey.member, name) }
    }
}

extension MemberRecord {
    fileprivate static func key(_ slot: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: slot)] }
}
