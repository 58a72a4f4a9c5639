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
