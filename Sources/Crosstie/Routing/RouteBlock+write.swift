internal import CPlatform

/// The writer's primitives. Room has been checked before.
extension RouteBlock {
    func hasRoom(for needed: RouteCapacity) -> Bool {
        // At most three quarters of the slots are taken, so that look-ups stay short and end.
        (counts.pointee.entries + needed.entries) * 4 <= capacity.entries * 3
            && counts.pointee.nodes + needed.nodes <= capacity.nodes
            && counts.pointee.items + needed.items <= capacity.items
            && counts.pointee.text + needed.text <= capacity.text
    }

    /// Adds an entry that is not there yet.
    func add(_ key: SegmentKey, high: UInt64, from node: UInt32, to reference: UInt32) {
        var at = slot(node, key)
        while entries[at].reference != 0 { at = (at + 1) & mask }
        let entry = entries + at
        entry.pointee.low = key.low
        entry.pointee.high = high
        entry.pointee.tag = UInt64(node) << 32 | key.tag
        cp_word_release(entry.referenceWord, reference)
        counts.pointee.entries += 1
    }

    /// Adds an item that nothing links yet; returns its number.
    func add(_ item: RouteItem) -> UInt32 {
        (items + counts.pointee.items).initialize(to: item)
        counts.pointee.items += 1
        return UInt32(truncatingIfNeeded: counts.pointee.items - 1)
    }

    /// Copies text into the pool; returns where it starts.
    func addText(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let start = counts.pointee.text
        if let source = bytes.baseAddress { (text + start).copyMemory(from: source, byteCount: bytes.count) }
        counts.pointee.text += bytes.count
        return UInt32(truncatingIfNeeded: start)
    }

    /// Keeps the number of routes that a scheme has, while its node exists: a leaf tells by itself.
    func countRoute(of path: RoutePath, by change: Int32) {
        let scheme = path.literal(0)
        guard let bytes = scheme.baseAddress,
            let entry = find(0, SegmentKey(bytes, scheme.count, seeds: seeds), bytes)
        else { return }
        let reference = NodeReference(word: entry.pointee.reference)
        guard !reference.isLeaf else { return }
        let node = nodes + Int(reference.number)
        cp_word_release(node.restWord, node.pointee.rest &+ UInt32(bitPattern: change))
    }
}
