/// The capacity of a block.
struct RouteCapacity {
    /// Slots of the hash table, a power of two.
    var entries = 16
    var nodes = 8
    var items = 4
    var text = 64

    /// Room for this many routes of the usual kind: one literal of its own each, beside shared ones, and a parameter.
    init(routes: Int) {
        let routes = min(max(routes, 0), 1 << 20)
        while entries < routes * 3 { entries *= 2 }
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
