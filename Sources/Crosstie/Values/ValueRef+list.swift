internal import CCrosstie

extension ValueRef {
    /// Most entries in a list or map.
    package static var maxCount: Int { Int(CTIE_VALUE_MAX_COUNT) }
    /// Most lists and maps inside each other.
    package static var maxDepth: Int { Int(CTIE_VALUE_MAX_DEPTH) }
    /// Most values inside one value. It bounds every traversal, also of shared values.
    static var maxTotal: Int { Int(CTIE_VALUE_MAX_TOTAL) }

    /// A list. It takes the items when it returns; they stay the caller's when it throws.
    package static func list(taking items: UnsafeBufferPointer<ValueRef>) throws(CrosstieError) -> ValueRef {
        try list(count: items.count) { items[$0] }
    }

    /// A list of what `item` gives for each index below `count`, with the same ownership.
    @inline(__always)
    static func list(count: Int, item: (Int) -> ValueRef) throws(CrosstieError) -> ValueRef {
        var summary = Summary()
        try summary.check(count: count)
        for index in 0..<count { try summary.add(item(index)) }
        let size = MemoryLayout<Int>.size &+ count &* MemoryLayout<ValueRef>.stride
        let ref = try allocate(.list, size: size, count: count, summary: summary)
        let first = (ref.start + Cell.itemsOffset).assumingMemoryBound(to: ValueRef.self)
        for index in 0..<count { first[index] = item(index) }
        return ref
    }

    /// The items of a list, borrowed from it. Only for lists.
    package var items: UnsafeBufferPointer<ValueRef> {
        let first = (start + Cell.itemsOffset).assumingMemoryBound(to: ValueRef.self)
        return UnsafeBufferPointer(start: first, count: cellCount)
    }

    /// The item at `index`, borrowed; nil when this is no list or has none there.
    package func item(at index: Int) -> ValueRef? {
        guard isCell, kind == .list, index >= 0, index < cellCount else { return nil }
        return items[index]
    }

    static func allocate(
        _ kind: Kind, size: Int, count: Int, summary: Summary
    ) throws(CrosstieError) -> ValueRef {
        let ref = try allocate(
            kind, size: size, count: count, depth: summary.depth, holdsForeign: summary.holdsForeign)
        ref.content.storeBytes(of: summary.total, as: Int.self)
        return ref
    }

    /// This value and all inside it, with shared ones counted each time.
    package var total: Int {
        guard isCell, kind == .list || kind == .map else { return 1 }
        return content.load(as: Int.self)
    }

    /// The summary of a list's or map's children, within the limits.
    struct Summary {
        private(set) var depth: UInt8 = 1
        private(set) var holdsForeign = false
        private(set) var total = 1

        func check(count: Int) throws(CrosstieError) {
            guard count <= maxCount else {
                throw CrosstieError(.limitExceeded, "a list or map has over \(maxCount) entries")
            }
        }

        mutating func add(_ child: ValueRef) throws(CrosstieError) {
            guard child.bits != 0 else { throw CrosstieError(.invalidArgument, "an item is NULL") }
            guard child.isCell else {
                total &+= 1
                holdsForeign = holdsForeign || child.tag == Tag.foreign
                return
            }
            guard child.depth < maxDepth else { throw .tooDeep }
            depth = max(depth, child.depth &+ 1)
            holdsForeign = holdsForeign || child.holdsForeign
            total &+= child.total
            guard total <= maxTotal else { throw CrosstieError(.limitExceeded, "over \(maxTotal) values are in one") }
        }
    }
}
