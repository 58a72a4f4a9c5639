/// The children of lists and maps that are still being read, innermost last.
///
/// Readers push each child as it comes and then make the list or map of what was pushed since it began, so
/// that memory grows with what was read and never with what a message claims.
struct ValueStack: ~Copyable {
    private var items: UnsafeMutablePointer<MapItem>?
    private(set) var count = 0
    private var capacity = 0

    init() {}

    deinit {
        for index in 0..<count { items?[index].value.release() }
        Memory.free(items)
    }

    /// Takes `value`, also when it throws.
    mutating func push(_ value: ValueRef, key: UnsafeRawBufferPointer) throws(CrosstieError) {
        if count == capacity, !grow() {
            value.release()
            throw .outOfMemory
        }
        items?[count] = MapItem(key: key, value: value)
        count &+= 1
    }

    private mutating func grow() -> Bool {
        let wanted = max(32, capacity &* 2)
        guard let memory = Memory.reallocate(items, wanted &* MemoryLayout<MapItem>.stride) else { return false }
        items = memory.assumingMemoryBound(to: MapItem.self)
        capacity = wanted
        return true
    }

    /// Gives the item at `index` its key, which has to last until the map is made.
    mutating func setKey(_ key: UnsafeRawBufferPointer, at index: Int) {
        guard index < count, let item = items?[index] else { return }
        items?[index] = MapItem(key: key, value: item.value)
    }

    /// A map of the values pushed since there were `base`.
    mutating func popMap(from base: Int) throws(CrosstieError) -> ValueRef {
        let ref = try ValueRef.map(taking: UnsafeBufferPointer(start: items.map { $0 + base }, count: count &- base))
        count = base
        return ref
    }

    /// A list of the values pushed since there were `base`.
    mutating func popList(from base: Int) throws(CrosstieError) -> ValueRef {
        let ref = try ValueRef.list(count: count &- base) { items.unsafelyUnwrapped[base &+ $0].value }
        count = base
        return ref
    }
}
