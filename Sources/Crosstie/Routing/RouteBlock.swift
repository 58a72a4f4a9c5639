internal import CPlatform
internal import Glibc

/// How much a block has room for.
struct RouteCapacity {
    /// Slots of the hash table, a power of two.
    var entries = 16
    var nodes = 8
    var items = 4
    var text = 64

    /// Room for this many routes of the usual kind: one literal of its own each, beside shared ones, and a parameter.
    init(routes: Int) {
        let routes = min(max(routes, 0), 1 << 20)
        while entries * 3 < routes * 6 { entries *= 2 }
        nodes += routes + routes / 2
        items += routes / 8
        text += routes * 2
    }

    init(entries: Int, nodes: Int, items: Int, text: Int) {
        (self.entries, self.nodes, self.items, self.text) = (entries, nodes, items, text)
    }

    /// Bytes of a block of this size.
    var bytes: Int {
        RouteBlock.headerBytes + entries * MemoryLayout<RouteEntry>.stride
            + nodes * MemoryLayout<RouteNode>.stride + items * MemoryLayout<RouteItem>.stride + text + URLLimits.slack
    }
}

/// How much of a block is taken. The writer's alone.
struct RouteCounts {
    var entries = 0
    /// The root is there from the start.
    var nodes = 1
    /// Item 0 is no item.
    var items = 1
    var text = 0
}

/// One table in one piece of memory. What is in this struct never changes.
struct RouteBlock {
    let seeds: (UInt64, UInt64)
    let shift: UInt64
    let mask: Int
    let entries: UnsafeMutablePointer<RouteEntry>
    /// Node 0 is the root, whose literal children are the schemes.
    let nodes: UnsafeMutablePointer<RouteNode>
    let items: UnsafeMutablePointer<RouteItem>
    /// Suffixes and segments over 16 bytes.
    let text: UnsafeMutableRawPointer
    let capacity: RouteCapacity
    let counts: UnsafeMutablePointer<RouteCounts>

    /// This struct, then the counts, in a cache line that readers do not look at.
    static var headerBytes: Int { MemoryLayout<RouteBlock>.stride + 64 + MemoryLayout<RouteCounts>.stride }

    /// A block without routes; `nil` when there is no memory.
    static func create(_ capacity: RouteCapacity, seeds: (UInt64, UInt64)) -> UnsafeMutablePointer<RouteBlock>? {
        guard let memory = calloc(1, capacity.bytes) else { return nil }
        let entries = memory + headerBytes
        let counts = (entries - MemoryLayout<RouteCounts>.stride).bindMemory(to: RouteCounts.self, capacity: 1)
        counts.initialize(to: RouteCounts())
        let items = entries + capacity.entries * MemoryLayout<RouteEntry>.stride
        let nodes = items + capacity.items * MemoryLayout<RouteItem>.stride
        let block = memory.bindMemory(to: RouteBlock.self, capacity: 1)
        block.initialize(
            to: RouteBlock(
                seeds: seeds, shift: UInt64(64 - capacity.entries.trailingZeroBitCount), mask: capacity.entries - 1,
                entries: entries.bindMemory(to: RouteEntry.self, capacity: capacity.entries),
                nodes: nodes.bindMemory(to: RouteNode.self, capacity: capacity.nodes),
                items: items.bindMemory(to: RouteItem.self, capacity: capacity.items),
                text: nodes + capacity.nodes * MemoryLayout<RouteNode>.stride, capacity: capacity, counts: counts))
        return block
    }

    /// Seeds that nobody can guess, so that nobody can make segments that collide.
    static func randomSeeds() -> (UInt64, UInt64) {
        var seeds: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93)
        _ = withUnsafeMutableBytes(of: &seeds) { cp_random_bytes($0.baseAddress, $0.count) }
        return seeds
    }

    /// The first slot where a step may stand; the others follow it.
    @inline(__always)
    func slot(_ node: UInt32, _ key: SegmentKey) -> Int {
        let mixed = (key.hash ^ (UInt64(node) &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed &>> shift)
    }

    /// The entry of a literal step, or `nil`. `bytes` are those of the key's segment.
    @inline(__always)
    func find(_ node: UInt32, _ key: SegmentKey, _ bytes: UnsafeRawPointer) -> UnsafeMutablePointer<RouteEntry>? {
        let tag = UInt64(node) &<< 32 | key.tag
        var at = slot(node, key)
        while true {
            let entry = entries + at
            guard cp_word_acquire(entry.referenceWord) != 0 else { return nil }
            if entry.pointee.tag == tag, entry.pointee.low == key.low,
                key.isLong ? isSame(entry, key, bytes) : entry.pointee.high == key.high
            {
                return entry
            }
            at = (at &+ 1) & mask
        }
    }

    @inline(never)
    private func isSame(
        _ entry: UnsafeMutablePointer<RouteEntry>, _ key: SegmentKey, _ bytes: UnsafeRawPointer
    ) -> Bool {
        memcmp(text + Int(truncatingIfNeeded: entry.pointee.high), bytes, key.length) == 0
    }
}
