/// The order of scheduled messages: by time, and for equal times by number.
struct ScheduleKey: Equatable {
    /// Nanoseconds since 1970-01-01 UTC.
    let due: UInt64
    let number: UInt64

    static var size: Int { 16 }

    init(due: UInt64, number: UInt64) {
        self.due = due
        self.number = number
    }

    /// The bytes after the type in a key; nil for another key.
    init?(_ key: UnsafeRawBufferPointer) {
        guard key.count == ScheduleKey.size else { return nil }
        due = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
        number = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    var bytes: [UInt8] { ScheduleKey.bigEndian(due) + ScheduleKey.bigEndian(number) }

    /// The first key that comes after this one.
    var next: [UInt8] { bytes + [0] }

    static func bigEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
