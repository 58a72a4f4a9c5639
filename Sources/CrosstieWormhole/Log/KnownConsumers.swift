/// The durable consumers of a group as this process last found them. Most are unchanged, and need not be decoded again.
/// Guarded by the writers' lock.
final class KnownConsumers {
    private var names: [CursorKey] = []

    var count: Int { names.count }

    /// The name whose key comes at a position, of all in their order; nil if that is none.
    @inline(__always)
    func name(_ key: UnsafeRawBufferPointer, at position: Int) -> CursorKey? {
        if position < names.count, names[position].bytes.withUnsafeBytes({ equalBytes($0, key) }) {
            return names[position]
        }
        return read(key, at: position)
    }

    @inline(never)
    private func read(_ key: UnsafeRawBufferPointer, at position: Int) -> CursorKey? {
        names.removeSubrange(min(position, names.count)...)
        let name = CursorKey(stored: key)
        if let name, names.count == position { names.append(name) }
        return name
    }
}
