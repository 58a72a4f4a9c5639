/// The space in a store that the records of each kind take.
struct StoreSizes {
    struct Part {
        var count: UInt64 = 0
        var keys: UInt64 = 0
        var bytes: UInt64 = 0
        var largest: UInt64 = 0
    }

    /// By the kind's name.
    private(set) var parts: [String: Part] = [:]
    private(set) var messages: UInt64 = 0

    mutating func count(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        var part = parts[RecordKind.name(of: key)] ?? Part()
        part.count += 1
        part.keys += UInt64(key.count)
        part.bytes += UInt64(record.count)
        part.largest = max(part.largest, UInt64(record.count))
        parts[RecordKind.name(of: key)] = part
        if let sequence = StoreKey.sequence(key), key.first == StoreKey.log {
            messages += UInt64(LogBlock(record, sequence: sequence)?.count ?? 0)
        }
    }

    var recordCount: UInt64 { parts.values.reduce(0) { $0 + $1.count } }

    var map: ValueMap {
        ValueMap(
            parts.sorted { $0.key < $1.key }.map { name, part in
                (
                    name,
                    [
                        "records": .number(part.count), "keys": .number(part.keys), "bytes": .number(part.bytes),
                        "largest": .number(part.largest),
                    ]
                )
            })
    }
}
