/// A walk through a tree: every page of the right kind and once, the keys in order.
struct TreeCheck: ~Copyable {
    private let tree: PageTree
    private let pageSize: Int
    /// A page for each level, and one more.
    private let pages: UnsafeMutableRawPointer
    /// A bit for every two bytes of a page.
    private let bits: UnsafeMutablePointer<UInt64>
    private var entries: UInt64 = 0

    init(_ tree: PageTree, pageSize: Int) throws(CrosstieError) {
        guard let pages = Memory.allocate((tree.depth &+ 1) &* pageSize) else { throw .outOfMemory }
        guard let bits = Memory.allocate(pageSize / 16) else {
            Memory.free(pages)
            throw .outOfMemory
        }
        self.tree = tree
        self.pageSize = pageSize
        self.pages = pages
        self.bits = bits.bindMemory(to: UInt64.self, capacity: pageSize / 128)
    }

    deinit {
        Memory.free(pages)
        Memory.free(bits)
    }

    /// Throws where the tree is damaged. `visit` gets every entry.
    mutating func run(
        _ file: borrowing PageFile, _ visit: (PageNode) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        if tree.depth > 0 { try walk(tree.root, KeyRange(), level: 0, file, visit) }
        guard entries == tree.entries else {
            throw CrosstieError(.corruptData, "data.mdb counts \(tree.entries) entries, and has \(entries)")
        }
    }

    private func buffer(_ level: Int, size: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: pages + level * pageSize, count: size)
    }

    private mutating func walk(
        _ number: UInt64, _ range: KeyRange, level: Int, _ file: borrowing PageFile,
        _ visit: (PageNode) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        try file.take(number)
        let page = buffer(level, size: pageSize)
        try file.read(number, into: page)
        let isLeaf = level + 1 == tree.depth
        let nodes = try PageNodes(UnsafeRawBufferPointer(page), number: number, isLeaf: isLeaf)
        try nodes.check(PageBytes(bits, count: pageSize / 128))
        try checkOrder(of: nodes, within: range)
        for index in 0..<nodes.count {
            if isLeaf {
                entries &+= 1
                try takeOverflow(nodes[index], file)
                try visit(nodes[index])
            } else {
                try walk(nodes[index].child, range.part(index, of: nodes), level: level + 1, file, visit)
            }
        }
    }

    private func checkOrder(of nodes: PageNodes, within range: KeyRange) throws(CrosstieError) {
        // LMDB does not look at a branch's first key, which covers all keys before the second one.
        let first = nodes.isLeaf ? 0 : 1
        var before = range.first
        for index in first..<nodes.count {
            let key = nodes[index].key
            guard tree.isInOrder(before, key, orEqual: index == first), tree.isInOrder(key, range.end, orEqual: false)
            else { throw .damaged(nodes.number, "has its keys out of order") }
            before = key
        }
    }

    /// Takes the pages of a large value.
    private func takeOverflow(_ node: PageNode, _ file: borrowing PageFile) throws(CrosstieError) {
        guard node.isBig else { return }
        let number = node.bigPage
        let header = buffer(tree.depth, size: PageLayout.headerSize)
        guard number < file.pageCount else { throw .damaged(number, "is outside the file") }
        try file.read(number, into: header)
        let count = UInt64(header.loadUnaligned(fromByteOffset: PageLayout.overflowCountOffset, as: UInt32.self))
        guard header.loadUnaligned(as: UInt64.self) == number,
            header.loadUnaligned(fromByteOffset: PageLayout.flagsOffset, as: UInt16.self) == PageLayout.isOverflow,
            count >= PageLayout.overflowPages(for: node.valueSize, pageSize: pageSize)
        else { throw .damaged(number, "is not what a large value begins with") }
        try file.take(number, count: count)
    }
}
