/// One table in one piece of memory. The fields of this struct never change.
struct RouteBlock {
    let seeds: RouteSeeds
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
    /// The allocated memory.
    private let memory: UnsafeMutableRawPointer

    private static var cacheLine: Int { 64 }

    /// This struct, then the counts, in a cache line that readers do not look at.
    static var headerBytes: Int {
        (MemoryLayout<RouteBlock>.stride + cacheLine - 1) / cacheLine * cacheLine + cacheLine
    }

    /// A block without routes; `nil` when there is no memory.
    static func create(_ capacity: RouteCapacity, seeds: RouteSeeds) -> UnsafeMutablePointer<RouteBlock>? {
        guard let memory = Memory.allocateZeroed(capacity.bytes + cacheLine) else { return nil }
        let start = memory.alignedUp(toMultipleOf: cacheLine)
        let entries = start + headerBytes
        let nodes = entries + capacity.entries * MemoryLayout<RouteEntry>.stride
        let items = nodes + capacity.nodes * MemoryLayout<RouteNode>.stride
        let counts = (entries - cacheLine).bindMemory(to: RouteCounts.self, capacity: 1)
        counts.initialize(to: RouteCounts())
        nodes.bindMemory(to: RouteNode.self, capacity: capacity.nodes).initialize(
            to: RouteNode(value: 0, parameter: 0, rest: 0, before: 0, after: 0, hash: PathHash(word: seeds.start)))
        let block = start.bindMemory(to: RouteBlock.self, capacity: 1)
        block.initialize(
            to: RouteBlock(
                seeds: seeds, shift: UInt64(64 - capacity.entries.trailingZeroBitCount), mask: capacity.entries - 1,
                entries: entries.bindMemory(to: RouteEntry.self, capacity: capacity.entries),
                nodes: nodes.bindMemory(to: RouteNode.self, capacity: capacity.nodes),
                items: items.bindMemory(to: RouteItem.self, capacity: capacity.items),
                text: items + capacity.items * MemoryLayout<RouteItem>.stride, capacity: capacity, counts: counts,
                memory: memory))
        return block
    }

    /// Frees a block.
    static func destroy(_ block: UnsafeMutablePointer<RouteBlock>) { Memory.free(block.pointee.memory) }

    /// The first of the two slots that a step may have; others follow them.
    @inline(__always)
    func slot(_ hash: PathHash) -> Int { Int(truncatingIfNeeded: hash.word &>> shift) & ~1 }
}
