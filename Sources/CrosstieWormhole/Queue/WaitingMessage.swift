/// A message that was rejected and waits for its next try. It is in nobody's hands, and there may be any number of them,
/// so it stands in records of its own: one under its time, by which claims find what is due, and one under its sequence,
/// by which the trimmer finds what the log has to keep. Neither the cursor's record grows with them, nor the time of a
/// claim.
struct WaitingMessage: Equatable {
    let sequence: UInt64
    /// How often it has been given to a listener.
    let attempts: UInt32
    let due: DueTime

    /// Of the record under the sequence: the time.
    static var size: Int { 12 }
    /// Of the record under the time: how often it has been given out.
    static var dueSize: Int { 4 }
    /// What both take in a store, about.
    static var footprint: Int { 128 }

    init(sequence: UInt64, attempts: UInt32, due: DueTime) {
        self.sequence = sequence
        self.attempts = attempts
        self.due = due
    }

    /// Reads the record under a time, of which every byte may be wrong; nil when it is none.
    init?(key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        guard key.count == WaitingKey.dueSize, record.count == WaitingMessage.dueSize else { return nil }
        sequence = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 20, as: UInt64.self))
        attempts = record.loadUnaligned(as: UInt32.self)
        due = DueTime(
            era: UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
            clock: UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 12, as: UInt64.self)))
    }
}

/// When a message may be given out again.
struct DueTime: Equatable {
    /// The cursor's: ``CursorState/era``.
    let era: UInt32
    /// By the clock of ``Clock/now()``, which begins anew with each era.
    let clock: UInt64

    init(era: UInt32, clock: UInt64) {
        self.era = era
        self.clock = clock
    }

    /// Reads the record under a sequence, of which every byte may be wrong; nil when it is none.
    init?(_ record: UnsafeRawBufferPointer) {
        guard record.count == WaitingMessage.size else { return nil }
        clock = record.loadUnaligned(as: UInt64.self)
        era = record.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    }

    /// The same time by the clock of an era; 0 when it was before it.
    func clock(in era: UInt32) -> UInt64 { self.era == era ? clock : 0 }
}

/// The keys of both records, without the type: a cursor's identity first, and every number big-endian, so that they are in
/// order.
enum WaitingKey {
    static var sequenceSize: Int { 16 }
    static var dueSize: Int { 28 }

    static func bySequence(_ sequence: UInt64, of identity: UInt64) -> [UInt8] {
        bigEndian(identity) + bigEndian(sequence)
    }

    static func byTime(_ due: DueTime, _ sequence: UInt64, of identity: UInt64) -> [UInt8] {
        bigEndian(identity) + bigEndian(due.era) + bigEndian(due.clock) + bigEndian(sequence)
    }

    /// With what all keys of a cursor begin.
    static func first(of identity: UInt64) -> [UInt8] { bigEndian(identity) }

    /// Whose key it is; nil when it is none.
    static func identity(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count >= 8 ? UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) : nil
    }

    /// The sequence that a key ends with which has nothing before it but the identity; nil when it is none.
    static func sequence(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count == sequenceSize ? UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) : nil
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
