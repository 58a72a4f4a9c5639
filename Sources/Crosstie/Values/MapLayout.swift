/// The layout of a map's cell, which follows from the number of entries.
struct MapLayout {
    let count: Int

    /// Below this a walk over the entries beats hashing.
    static var smallestTabled: Int { 9 }

    private var tableOffset: Int { Cell.itemsOffset &+ count &* MemoryLayout<MapEntry>.stride }

    /// At most half full, and a power of two.
    var capacity: Int {
        count < Self.smallestTabled ? 0 : 1 << (Int.bitWidth &- (2 &* count &- 1).leadingZeroBitCount)
    }

    var keysOffset: Int { tableOffset &+ capacity &* MemoryLayout<UInt32>.stride }

    /// The table in the cell at `start`; nil for a map that has none.
    func table(in start: UnsafeMutableRawPointer) -> MapTable? {
        guard count >= Self.smallestTabled else { return nil }
        let slots = (start + tableOffset).assumingMemoryBound(to: UInt32.self)
        return MapTable(slots: slots, capacity: capacity)
    }
}
