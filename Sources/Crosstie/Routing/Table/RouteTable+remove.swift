internal import CPlatform

extension RouteTable {
    /// Takes a route away; deeper ones stay. One writer at a time. Readers that began before may still have its value:
    /// wait for them before releasing its object.
    ///
    /// - Returns: the route's value, or `nil` when there is no route of that shape.
    @discardableResult
    package func remove(_ pattern: Pattern) -> UInt32? {
        let removed = RoutePath.with(pattern) { path in block.flatMap { Self.remove(path, from: $0) } }
        return removed ?? nil
    }

    private static func remove(_ path: RoutePath, from block: UnsafeMutablePointer<RouteBlock>) -> UInt32? {
        let walk = RouteWalk(block: block, path: path)
        let stop = walk.stop()
        guard let word = walk.valueWord(stop) else { return nil }
        let old = NodeReference(word: word.pointee).number
        guard old != 0 else { return nil }
        let isLeaf = stop.step == path.count && stop.reference.isLeaf
        cp_word_release(word, isLeaf ? NodeReference(leaf: 0).word : 0)
        block.countRoute(of: path, by: -1)
        return old
    }

    /// The value of the route of a pattern's shape, or `nil`. For the writer.
    package func value(of pattern: Pattern) -> UInt32? {
        let value = RoutePath.with(pattern) { path -> UInt32? in
            guard let block else { return nil }
            let walk = RouteWalk(block: block, path: path)
            return walk.valueWord(walk.stop()).map { NodeReference(word: $0.pointee).number }
        }
        guard let value, let value, value != 0 else { return nil }
        return value
    }
}
