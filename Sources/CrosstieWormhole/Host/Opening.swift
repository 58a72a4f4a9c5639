internal import Glibc

/// A member of a group whose records a host keeps: a record of the store, by slot, from which every process learns the
/// other members and the progress of their queues.
struct Opening {
    var occupant: Occupant
    /// The number that the transport gave it; 0 when the transport knows no members.
    var member: UInt64
    /// The number up to which its queue listeners have consumed everything; `UInt64.max` when it has none.
    var heard: UInt64 = .max
    /// The boot in which the process started.
    var boot: UInt64 = Boot.identity().0

    static var format: UInt8 { 1 }
    private static var headerSize: Int { 56 }

    init(_ occupant: Occupant, member: UInt64) {
        self.occupant = occupant
        self.member = member
    }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Opening.headerSize, bytes[0] == Opening.format, Int(bytes[1]) <= Bells.maximumNameSize,
            Opening.headerSize + Int(bytes[1]) <= bytes.count
        else { return nil }
        occupant = Occupant(
            process: ProcessIdentity(
                pid: bytes.loadUnaligned(fromByteOffset: 4, as: Int32.self),
                start: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                namespace: bytes.loadUnaligned(fromByteOffset: 48, as: UInt64.self)),
            since: bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self),
            name: String(decoding: bytes[Opening.headerSize..<Opening.headerSize + Int(bytes[1])], as: UTF8.self))
        member = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        heard = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
        boot = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    }

    /// The record's bytes.
    var encoded: [UInt8] {
        let name = occupant.name.utf8.prefix(Bells.maximumNameSize)
        var bytes = [UInt8](repeating: 0, count: Opening.headerSize)
        bytes.withUnsafeMutableBytes { room in
            room[0] = Opening.format
            room[1] = UInt8(truncatingIfNeeded: name.count)
            room.storeBytes(of: occupant.process.pid, toByteOffset: 4, as: Int32.self)
            room.storeBytes(of: occupant.process.start, toByteOffset: 8, as: UInt64.self)
            room.storeBytes(of: occupant.since, toByteOffset: 16, as: Int64.self)
            room.storeBytes(of: member, toByteOffset: 24, as: UInt64.self)
            room.storeBytes(of: heard, toByteOffset: 32, as: UInt64.self)
            room.storeBytes(of: boot, toByteOffset: 40, as: UInt64.self)
            room.storeBytes(of: occupant.process.namespace, toByteOffset: 48, as: UInt64.self)
        }
        return bytes + name
    }

    /// Whether its process lives, for a transport that knows no members: one of this machine, and of this boot. One of
    /// another PID namespace cannot be looked for, and counts as living.
    func hasLivingProcess(seenFrom namespace: UInt64) -> Bool {
        boot == Boot.identity().0 && !occupant.process.isKnownDead(from: namespace)
    }
}

extension StoreTransaction {
    /// The members in the store, by slot. Malformed records are skipped.
    func openings() throws(CrosstieError) -> [Int: Opening] {
        var found: [Int: Opening] = [:]
        try scan(StoreKey.opening) { name, record throws(CrosstieError) in
            if name.count == 1, let opening = Opening(record) { found[Int(name[0])] = opening }
            return .next
        }
        return found
    }

    func put(_ opening: Opening, slot: Int) throws(CrosstieError) {
        let bytes = opening.encoded
        try Opening.key(slot).withBytes { name throws(CrosstieError) in
            let room = try reserve(StoreKey.opening, name, size: bytes.count)
            room.copyBytes(from: bytes)
        }
    }

    func removeOpening(_ slot: Int) throws(CrosstieError) {
        try Opening.key(slot).withBytes { name throws(CrosstieError) in try remove(StoreKey.opening, name) }
    }
}

extension Opening {
    fileprivate static func key(_ slot: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: slot)] }
}
