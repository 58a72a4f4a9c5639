/// Copies the live part of a block into a new one that has room for more.
///
/// A node's number is above that of the node before it, so that one pass from the last node to the first finds
/// out which ones lead to a route.
struct RouteRebuild {
    private let old: UnsafeMutablePointer<RouteBlock>
    private var alive: [Bool]
    /// The node before each node.
    private var parents: [UInt32]
    /// The new number of each live node.
    private var numbers: [UInt32]

    init(of old: UnsafeMutablePointer<RouteBlock>) {
        self.old = old
        let count = old.pointee.counts.pointee.nodes
        alive = Array(repeating: false, count: count)
        parents = Array(repeating: 0, count: count)
        numbers = Array(repeating: 0, count: count)
    }

    /// The new block, or `nil` when there is no memory.
    consuming func run(for needed: RouteCapacity) -> UnsafeMutablePointer<RouteBlock>? {
        Self.forEachStep(of: old.pointee) { from, reference in
            if !reference.isLeaf { parents[Int(reference.number)] = from }
            if reference.isLeaf, reference.number != 0 { alive[Int(from)] = true }
        }
        for node in alive.indices.reversed() where alive[node] || endsRoute(node) {
            alive[node] = true
            alive[Int(parents[node])] = true
        }
        alive[0] = true
        guard let new = RouteBlock.create(capacity(for: needed), seeds: old.pointee.seeds) else { return nil }
        copyNodes(to: new)
        copyEntries(to: new)
        return new
    }

    private func endsRoute(_ node: Int) -> Bool {
        old.pointee.nodes[node].value != 0 || old.pointee.nodes[node].rest != 0
    }

    /// All steps of the tree: the node they start at and where they lead.
    private static func forEachStep(of block: RouteBlock, _ body: (UInt32, NodeReference) -> Void) {
        for at in 0...block.mask where block.entries[at].reference != 0 {
            body(block.entries[at].node, NodeReference(word: block.entries[at].reference))
        }
        for number in 0..<block.counts.pointee.nodes {
            let node = block.nodes[number]
            let from = UInt32(truncatingIfNeeded: number)
            if node.parameter != 0 { body(from, NodeReference(word: node.parameter)) }
            forEachItem(of: block, from: node.before) { body(from, NodeReference(word: $0.reference)) }
            forEachItem(of: block, from: node.after) { body(from, NodeReference(word: $0.reference)) }
        }
    }

    private static func forEachItem(of block: RouteBlock, from first: UInt32, _ body: (RouteItem) -> Void) {
        var at = first
        while at != 0 {
            body(block.items[Int(at)])
            at = block.items[Int(at)].next
        }
    }

    /// Twice the live part, so that as many routes again can come before the next rebuild.
    private func capacity(for needed: RouteCapacity) -> RouteCapacity {
        var room = needed
        for at in 0...old.pointee.mask {
            let entry = old.pointee.entries[at]
            guard isAlive(NodeReference(word: entry.reference)) else { continue }
            room.entries += 1
            let key = SegmentKey(of: entry)
            if key.isLong { room.text += key.length }
        }
        for at in 1..<old.pointee.counts.pointee.items {
            let item = old.pointee.items[at]
            guard isAlive(NodeReference(word: item.reference)) else { continue }
            room.items += 1
            if item.rank.isSuffix { room.text += item.rank.suffixLength }
        }
        room.nodes += alive.count { $0 }
        var entries = RouteCapacity(routes: 0).entries
        while entries * 3 < room.entries * 8 { entries *= 2 }
        return RouteCapacity(entries: entries, nodes: 2 * room.nodes, items: 2 * room.items, text: 2 * room.text)
    }

    private func isAlive(_ reference: NodeReference) -> Bool {
        if reference.word == 0 { return false }
        return reference.isLeaf ? reference.number != 0 : alive[Int(reference.number)]
    }

    private func moved(_ word: UInt32) -> UInt32 {
        let reference = NodeReference(word: word)
        guard isAlive(reference) else { return 0 }
        return reference.isLeaf ? word : word & ~NodeReference.numbers | numbers[Int(reference.number)]
    }

    private mutating func copyNodes(to new: UnsafeMutablePointer<RouteBlock>) {
        var count: UInt32 = 0
        for node in alive.indices where alive[node] {
            numbers[node] = count
            count += 1
        }
        for node in alive.indices where alive[node] {
            let from = old.pointee.nodes[node]
            (new.pointee.nodes + Int(numbers[node])).initialize(
                to: RouteNode(
                    value: from.value, parameter: moved(from.parameter), rest: from.rest,
                    before: copyItems(from.before, to: new), after: copyItems(from.after, to: new),
                    hash: from.hash))
        }
        new.pointee.counts.pointee.nodes = Int(count)
    }

    /// Copies the live items of a list; returns the first one's number.
    private func copyItems(_ first: UInt32, to new: UnsafeMutablePointer<RouteBlock>) -> UInt32 {
        var (head, last, at) = (UInt32(0), UInt32(0), first)
        while at != 0 {
            let item = old.pointee.items[Int(at)]
            at = item.next
            let reference = moved(item.reference)
            guard reference != 0 else { continue }
            let length = item.rank.isSuffix ? item.rank.suffixLength : 0
            let text = copyText(Int(item.text), length, to: new)
            let copy = new.pointee.add(
                RouteItem(rank: item.rank, text: text, salt: item.salt, reference: reference, next: 0))
            if last == 0 { head = copy } else { new.pointee.items[Int(last)].next = copy }
            last = copy
        }
        return head
    }

    private func copyEntries(to new: UnsafeMutablePointer<RouteBlock>) {
        for at in 0...old.pointee.mask {
            let entry = old.pointee.entries[at]
            let reference = moved(entry.reference)
            guard reference != 0 else { continue }
            let key = SegmentKey(of: entry)
            let text = Int(truncatingIfNeeded: entry.high)
            let high = key.isLong ? UInt64(copyText(text, key.length, to: new)) : entry.high
            let hash = old.pointee.nodes[Int(entry.node)].hash.step(key, old.pointee.seeds)
            new.pointee.add(key, high: high, hash: hash, from: numbers[Int(entry.node)], to: reference)
        }
    }

    private func copyText(_ start: Int, _ length: Int, to new: UnsafeMutablePointer<RouteBlock>) -> UInt32 {
        new.pointee.addText(UnsafeRawBufferPointer(start: old.pointee.text + start, count: length))
    }
}
