internal import CPlatform
internal import Glibc

/// The operations of readers. On the pointer, for as methods of the struct they would copy it.
extension UnsafeMutablePointer<RouteBlock> {
    /// The root, and the hash of no steps.
    @inline(__always)
    var root: RoutePosition {
        RoutePosition(
            reference: NodeReference(word: NodeReference.literalBit), hash: PathHash(word: pointee.seeds.start), at: 0)
    }

    /// The value of the route that ends at a reference; zero where none does.
    @inline(__always)
    func value(of reference: NodeReference) -> UInt32 {
        reference.isLeaf ? reference.number : cp_word_relaxed((pointee.nodes + Int(reference.number)).valueWord)
    }

    /// Where a literal step leads, or `nil`.
    @inline(__always)
    func literal(_ from: RoutePosition, _ bytes: UnsafeRawPointer, _ length: Int) -> RoutePosition? {
        guard length <= SegmentKey.inline else { return longLiteral(from, bytes, length) }
        return step(from, SegmentKey(short: bytes, length), bytes)
    }

    @inline(never)
    private func longLiteral(_ from: RoutePosition, _ bytes: UnsafeRawPointer, _ length: Int) -> RoutePosition? {
        step(from, SegmentKey(long: bytes, length, seeds: pointee.seeds), bytes)
    }

    @inline(__always)
    private func step(_ from: RoutePosition, _ key: SegmentKey, _ bytes: UnsafeRawPointer) -> RoutePosition? {
        let hash = from.hash.step(key, pointee.seeds)
        guard let entry = find(from.reference.number, key, hash, bytes) else { return nil }
        let reference = NodeReference(word: cp_word_acquire(entry.referenceWord))
        return RoutePosition(reference: reference, hash: hash, at: from.at &+ 1)
    }

    /// The entry of a literal step, or `nil`.
    ///
    /// - Parameters:
    ///   - hash: of the way to the node and the step.
    ///   - bytes: of the key's segment.
    @inline(__always)
    func find(
        _ node: UInt32, _ key: SegmentKey, _ hash: PathHash, _ bytes: UnsafeRawPointer
    ) -> UnsafeMutablePointer<RouteEntry>? {
        let first = pointee.entries + pointee.slot(hash)
        let entry = first + (cp_word_relaxed(first.printWord) == hash.print ? 0 : 1)
        // The first of two slots is taken first: if this one is free, no third one was needed.
        guard cp_word_acquire(entry.referenceWord) != 0 else { return nil }
        return isSame(entry, node, key, bytes) ? entry : findFurther(node, key, hash, bytes)
    }

    /// Looks at all slots in order.
    @inline(never)
    private func findFurther(
        _ node: UInt32, _ key: SegmentKey, _ hash: PathHash, _ bytes: UnsafeRawPointer
    ) -> UnsafeMutablePointer<RouteEntry>? {
        var at = pointee.slot(hash)
        while cp_word_acquire((pointee.entries + at).referenceWord) != 0 {
            if isSame(pointee.entries + at, node, key, bytes) { return pointee.entries + at }
            at = (at &+ 1) & pointee.mask
        }
        return nil
    }

    @inline(__always)
    private func isSame(
        _ entry: UnsafeMutablePointer<RouteEntry>, _ node: UInt32, _ key: SegmentKey, _ bytes: UnsafeRawPointer
    ) -> Bool {
        entry.pointee.low == key.low && entry.pointee.node == node && entry.pointee.size == key.size
            && (key.isLong
                ? memcmp(pointee.text + Int(truncatingIfNeeded: entry.pointee.high), bytes, key.length) == 0
                : entry.pointee.high == key.high)
    }
}
