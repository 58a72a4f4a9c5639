/// The single records that a transaction has fetched from a transport, and the keys under which there is none. They are
/// few.
struct HostLoads {
    private var found: [(key: [UInt8], record: MemoryRecord?)] = []

    /// Records that most steps read, and that are small.
    private static func isUsual(_ type: UInt8) -> Bool {
        type == StoreKey.meta || type == StoreKey.token || type == StoreKey.interest || type == StoreKey.cursor
            || type == StoreKey.declared
    }
    /// So many are fetched at once, and remembered.
    private static var maximumCount: Int { 16 }

    /// The record under a key; nil within nil if it has not been fetched.
    func record(_ key: [UInt8]) -> MemoryRecord?? {
        for one in found where one.key == key { return .some(one.record) }
        return nil
    }

    /// The keys to fetch with one that is needed.
    func keys(with key: [UInt8], _ usual: [[UInt8]]) -> [[UInt8]] {
        found.isEmpty ? [key] + usual.filter { $0 != key } : [key]
    }

    mutating func take(_ records: [MemoryRecord], of keys: [[UInt8]]) {
        if found.count > 4 * HostLoads.maximumCount { found = [] }
        for key in keys { found.append((key, records.first { $0.key.elementsEqual(key) })) }
    }

    /// The keys that the next step may need.
    var usual: [[UInt8]] {
        var keys: [[UInt8]] = []
        for one in found where keys.count < HostLoads.maximumCount && HostLoads.isUsual(one.key.first ?? 0xFF) {
            keys.append(one.key)
        }
        return keys
    }
}
