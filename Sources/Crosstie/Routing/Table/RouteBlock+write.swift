internal import CPlatform

/// The writer's primitives. Room has been checked before.
extension RouteBlock {
    func hasRoom(for needed: RouteCapacity) -> Bool {
        // At most half of the slots are taken, so that most look-ups end in the first line.
        (counts.pointee.entries + needed.entries) * 2 <= capacity.entries
            && counts.pointee.nodes + needed.nodes <= capacity.nodes
            && counts.pointee.items + needed.items <= capacity.items
            && counts.pointee.text + needed.text <= capacity.text
    }

    /// Adds an entry that is not there yet.
    func add(_ key: SegmentKey, high: UInt64, hash: PathHash, from node: UInt32, to reference: UInt32) {
        var at = slot(hash)
        while entries[at].reference != 0 { at = (at + 1) & mask }
        let entry = entries + at
        (entry.pointee.low, entry.pointee.high) = (key.low, high)
        (entry.pointee.node, entry.pointee.size) = (node, key.size)
        cp_word_release(entry.printWord, hash.print)
        SchedulePoint.pass()
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
}

extension UnsafeMutablePointer<RouteBlock> {
    /// Keeps the number of routes that a scheme has, while its node exists: a leaf has it by itself.
    func countRoute(of path: RoutePath, by change: Int32) {
        let scheme = path.literal(0)
        guard let bytes = scheme.baseAddress, let reference = literal(root, bytes, scheme.count)?.reference else {
            return
        }
        guard !reference.isLeaf else { return }
        let node = pointee.nodes + Int(reference.number)
        cp_word_release(node.restWord, node.pointee.rest &+ UInt32(bitPattern: change))
    }
}
