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

    /// The fields of the header.
    enum Layout {
        static var format: RecordField<UInt8> { RecordField(0) }
        static var nameSize: RecordField<UInt8> { RecordField(1) }
        static var pid: RecordField<Int32> { RecordField(4) }
        static var start: RecordField<UInt64> { RecordField(8) }
        static var since: RecordField<Int64> { RecordField(16) }
        static var transportID: RecordField<UInt64> { RecordField(24) }
        static var consumed: RecordField<UInt64> { RecordField(32) }
        static var boot: RecordField<UInt64> { RecordField(40) }
        static var namespace: RecordField<UInt64> { RecordField(48) }
        static var size: Int { 56 }
    }

    static var format: UInt8 { 1 }
    private static var headerSize: Int { Layout.size }

    init(_ member: Member, transportID: UInt64) {
        self.member = member
        self.transportID = transportID
    }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemberRecord.headerSize, bytes[Layout.format] == MemberRecord.format,
            Int(bytes[Layout.nameSize]) <= Wakeups.maximumNameSize,
            MemberRecord.headerSize + Int(bytes[Layout.nameSize]) <= bytes.count
        else { return nil }
        member = Member(
            process: ProcessIdentity(
                pid: bytes[Layout.pid], start: bytes[Layout.start],
                namespace: bytes[Layout.namespace]), since: bytes[Layout.since],
            name: String(
                decoding: bytes[MemberRecord.headerSize..<MemberRecord.headerSize + Int(bytes[Layout.nameSize])],
                as: UTF8.self))
        transportID = bytes[Layout.transportID]
        consumed = bytes[Layout.consumed]
        boot = bytes[Layout.boot]
    }

    /// The record's bytes.
    var encoded: [UInt8] {
        let name = member.name.utf8.prefix(Wakeups.maximumNameSize)
        var bytes = [UInt8](repeating: 0, count: MemberRecord.headerSize)
        bytes.withUnsafeMutableBytes { room in
            room[Layout.format] = MemberRecord.format
            room[Layout.nameSize] = UInt8(truncatingIfNeeded: name.count)
            room[Layout.pid] = member.process.pid
            room[Layout.start] = member.process.start
            room[Layout.since] = member.since
            room[Layout.transportID] = transportID
            room[Layout.consumed] = consumed
            room[Layout.boot] = boot
            room[Layout.namespace] = member.process.namespace
        }
        return bytes + name
    }

    /// Whether its process lives, for a transport that knows no members: one of this machine, and of this boot. One of
    /// another PID namespace cannot be looked for, and counts as living.
    func hasLivingProcess(seenFrom namespace: UInt64) -> Bool {
        boot == Boot.identity().0 && !member.process.isKnownDead(from: namespace)
    }
}

extension MemberRecord {
    /// The key of its newest step's token, without the type.
    var tokenName: [UInt8] {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return bytes(member.since) + bytes(transportID) + bytes(member.process.pid)
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
        try MemberRecord.key(slot).withBytes { name throws(CrosstieError) in
            if let record = try get(StoreKey.member, name).flatMap({ MemberRecord($0) }) { try removeToken(of: record) }
            try remove(StoreKey.member, name)
        }
    }

    /// Removes a member, and its token. Another one may have got its slot: that one stays.
    func remove(_ member: MemberRecord, slot: Int) throws(CrosstieError) {
        try removeToken(of: member)
        try MemberRecord.key(slot).withBytes { name throws(CrosstieError) in
            let there = try get(StoreKey.member, name).flatMap { MemberRecord($0) }
            if there?.tokenName == member.tokenName { try remove(StoreKey.member, name) }
        }
    }

    /// Removes the token of a member's newest step.
    func removeToken(of record: MemberRecord) throws(CrosstieError) {
        try record.tokenName.withBytes { name throws(CrosstieError) in try remove(StoreKey.token, name) }
    }
}

extension MemberRecord {
    fileprivate static func key(_ slot: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: slot)] }
}
