internal import Glibc

/// A tree of pages, as one of the first two pages describes it.
struct PageTree {
    let root: UInt64
    /// Levels of pages; 0 for an empty tree.
    let depth: Int
    let entries: UInt64
    /// Whether keys are numbers in this machine's order of bytes; otherwise they are ordered as `memcmp` has it.
    let hasNumbers: Bool

    init(_ meta: UnsafeRawBufferPointer, at offset: Int, hasNumbers: Bool) throws(CrosstieError) {
        depth = Int(meta.loadUnaligned(fromByteOffset: offset + PageLayout.treeDepthOffset, as: UInt16.self))
        entries = meta.loadUnaligned(fromByteOffset: offset + PageLayout.entryCountOffset, as: UInt64.self)
        root = meta.loadUnaligned(fromByteOffset: offset + PageLayout.rootOffset, as: UInt64.self)
        self.hasNumbers = hasNumbers
        let flags = meta.loadUnaligned(fromByteOffset: offset + PageLayout.treeFlagsOffset, as: UInt16.self)
        guard flags == (hasNumbers ? PageLayout.hasIntegerKeys : 0), depth <= PageLayout.maximumDepth,
            (root == PageLayout.noPage) == (depth == 0), (entries == 0) == (depth == 0)
        else { throw CrosstieError(.corruptData, "data.mdb describes a tree of no known form") }
    }

    /// Whether a key is smaller than another, or may be the same; nil is before and behind all of them.
    func isInOrder(_ key: UnsafeRawBufferPointer?, _ other: UnsafeRawBufferPointer?, orEqual: Bool) -> Bool {
        guard let key, let other else { return true }
        let order = hasNumbers ? PageTree.compareNumbers(key, other) : KeyOrder.compare(key, other)
        return orEqual ? order <= 0 : order < 0
    }

    private static func compareNumbers(_ key: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
        // A key of another size is in no order with any.
        guard key.count == 8, other.count == 8 else { return 1 }
        let (left, right) = (key.loadUnaligned(as: UInt64.self), other.loadUnaligned(as: UInt64.self))
        return left < right ? -1 : left == right ? 0 : 1
    }
}
