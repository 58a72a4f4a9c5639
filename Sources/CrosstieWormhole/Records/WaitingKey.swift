/// The keys of both records, without the type: a cursor's identity first, and every number big-endian, so that they are in
/// order.
enum WaitingKey {
    /// The fields of the key under a sequence, big-endian.
    enum Layout {
        static var identity: RecordField<UInt64> { RecordField(0) }
        static var sequence: RecordField<UInt64> { RecordField(8) }
        static var size: Int { 16 }
    }

    /// The fields of the key under a time, big-endian.
    enum TimeLayout {
        static var era: RecordField<UInt32> { RecordField(8) }
        static var clock: RecordField<UInt64> { RecordField(12) }
        static var sequence: RecordField<UInt64> { RecordField(20) }
        static var size: Int { 28 }
    }

    static var sequenceSize: Int { Layout.size }
    static var dueSize: Int { TimeLayout.size }

    static func bySequence(_ sequence: UInt64, of identity: UInt64) -> [UInt8] {
        bigEndian(identity) + bigEndian(sequence)
    }

    static func byTime(_ due: DueTime, _ sequence: UInt64, of identity: UInt64) -> [UInt8] {
        bigEndian(identity) + bigEndian(due.era) + bigEndian(due.clock) + bigEndian(sequence)
    }

    /// With what all keys of a cursor begin.
    static func first(of identity: UInt64) -> [UInt8] { bigEndian(identity) }

    /// The identity of the cursor; nil for a malformed key.
    static func identity(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count >= 8 ? UInt64(bigEndian: key[Layout.identity]) : nil
    }

    /// The sequence that a key ends with which has nothing before it but the identity; nil when it is none.
    static func sequence(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count == sequenceSize ? UInt64(bigEndian: key[Layout.sequence]) : nil
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
