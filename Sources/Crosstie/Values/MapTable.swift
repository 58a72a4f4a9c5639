/// A table of entry numbers by their keys' hashes, with linear probing.
///
/// The hash is the standard library's, seeded at random in each process, so that nobody outside can choose
/// keys that collide.
struct MapTable {
    let slots: UnsafeMutablePointer<UInt32>
    let capacity: Int

    /// A slot, and the entry's number that it holds.
    struct Slot {
        fileprivate let position: Int
        let index: UInt32
        var isFree: Bool { index == .max }
    }

    func clear() { slots.update(repeating: .max, count: capacity) }

    /// The slot of `key` in the map that this is the table of, or the free one where it would be.
    func slot(of key: UnsafeRawBufferPointer, in map: ValueRef) -> Slot {
        let entries = map.entries
        return slot(of: key) { map.key(of: entries[$0]) }
    }

    /// The same for keys that `keyAt` finds by their entry's number.
    @inline(__always)
    func slot(of key: UnsafeRawBufferPointer, keyAt: (Int) -> UnsafeRawBufferPointer) -> Slot {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        var position = hasher.finalize() & (capacity &- 1)
        while true {
            let index = slots[position]
            if index == .max || equalBytes(keyAt(Int(index)), key) {
                return Slot(position: position, index: index)
            }
            position = (position &+ 1) & (capacity &- 1)
        }
    }

    func set(_ slot: Slot, to index: UInt32) { slots[slot.position] = index }
}
