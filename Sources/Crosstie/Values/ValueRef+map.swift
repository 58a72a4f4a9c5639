internal import Glibc

/// A map's cell holds, after the total: the entries in their order; a table of their hashes when there are
/// many; the keys, each with a NUL after it.
extension ValueRef {
    /// A map. It takes the values when it returns; they stay the caller's when it throws. The keys are copied.
    ///
    /// - Parameter items: keys that are known to be UTF-8, and values.
    package static func map(taking items: UnsafeBufferPointer<MapItem>) throws(CrosstieError) -> ValueRef {
        var summary = Summary()
        try summary.check(count: items.count)
        var keysSize = 0
        for item in items {
            try summary.add(item.value)
            guard item.keySize <= maxSize, keysSize <= maxSize else {
                throw CrosstieError(.limitExceeded, "the keys of a map are over \(maxSize) bytes")
            }
            keysSize &+= item.keySize &+ 1
        }
        let ref = try allocate(
            .map, size: MapLayout(count: items.count).keysOffset &- Cell.contentOffset &+ keysSize,
            count: items.count, summary: summary)
        if let repeated = ref.fillMap(items) {
            Memory.free(ref.start)
            throw CrosstieError(.duplicateKey, "the key \(Quotation.quoted(repeated)) occurs twice in a map")
        }
        return ref
    }

    /// Copies keys and entries in. Gives a repeated key; nil where there is none.
    private func fillMap(_ items: UnsafeBufferPointer<MapItem>) -> UnsafeRawBufferPointer? {
        let layout = MapLayout(count: items.count)
        let entries = UnsafeMutableBufferPointer(mutating: entries)
        let table = layout.table(in: start)
        table?.clear()
        var keyOffset = layout.keysOffset
        for (index, item) in items.enumerated() {
            guard isNew(item.key, at: index, table) else { return item.key }
            copyKey(item.key, to: keyOffset)
            entries[index] = MapEntry(
                keyOffset: UInt32(truncatingIfNeeded: keyOffset), keySize: UInt32(truncatingIfNeeded: item.keySize),
                value: item.value)
            keyOffset &+= item.keySize &+ 1
        }
        return nil
    }

    /// Notes in the table that `key` is about to be the entry at `index`. False when an earlier one has it.
    private func isNew(_ key: UnsafeRawBufferPointer, at index: Int, _ table: MapTable?) -> Bool {
        guard let table else { return find(key, among: index) == nil }
        let slot = table.slot(of: key, in: self)
        if slot.isFree { table.set(slot, to: UInt32(truncatingIfNeeded: index)) }
        return slot.isFree
    }

    private func copyKey(_ key: UnsafeRawBufferPointer, to offset: Int) {
        if let source = key.baseAddress { (start + offset).copyMemory(from: source, byteCount: key.count) }
        start.storeBytes(of: 0, toByteOffset: offset &+ key.count, as: UInt8.self)
    }

    /// The entries of a map in their order, borrowed from it. Only for maps.
    package var entries: UnsafeBufferPointer<MapEntry> {
        let first = (start + Cell.itemsOffset).assumingMemoryBound(to: MapEntry.self)
        return UnsafeBufferPointer(start: first, count: cellCount)
    }

    /// The key of one of this map's entries, which lives as long as the map.
    package func key(of entry: MapEntry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + Int(entry.keyOffset), count: Int(entry.keySize))
    }

    /// The entry at `index`; nil when this is no map or has none there.
    package func entry(at index: Int) -> MapEntry? {
        guard isCell, kind == .map, index >= 0, index < cellCount else { return nil }
        return entries[index]
    }

    /// The value under `key`, borrowed; nil when this is no map or has none.
    package func value(for key: UnsafeRawBufferPointer) -> ValueRef? {
        guard isCell, kind == .map else { return nil }
        if let table = MapLayout(count: cellCount).table(in: start) {
            let slot = table.slot(of: key, in: self)
            return slot.isFree ? nil : entries[Int(slot.index)].value
        }
        return find(key, among: cellCount).map { entries[$0].value }
    }

    /// Looks at one entry after the other, which is fastest while they are few.
    private func find(_ key: UnsafeRawBufferPointer, among count: Int) -> Int? {
        let entries = entries
        for index in 0..<count where equalBytes(self.key(of: entries[index]), key) { return index }
        return nil
    }
}

extension ValueRef {
    /// Entries of a list or map, bytes of a string or bytes value, 0 for every other kind.
    package var count: Int { isCell ? cellCount : 0 }
}

/// True when both hold the same bytes.
package func equalBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return true }
    return memcmp(leftStart, rightStart, left.count) == 0
}
