/// The nodes of a page of a tree, which are within the page and do not overlap.
struct PageNodes {
    let page: UnsafeRawBufferPointer
    let number: UInt64
    let isLeaf: Bool
    let count: Int
    private let upper: Int

    /// `page` is a whole page, which was read from `number`.
    init(_ page: UnsafeRawBufferPointer, number: UInt64, isLeaf: Bool) throws(CrosstieError) {
        let flags = page.loadUnaligned(fromByteOffset: PageLayout.flagsOffset, as: UInt16.self)
        guard page.loadUnaligned(as: UInt64.self) == number else { throw .damaged(number, "has another's number") }
        guard flags == (isLeaf ? PageLayout.isLeaf : PageLayout.isBranch) else {
            throw .damaged(number, "is of the wrong kind")
        }
        let lower = Int(page.loadUnaligned(fromByteOffset: PageLayout.lowerOffset, as: UInt16.self))
        upper = Int(page.loadUnaligned(fromByteOffset: PageLayout.upperOffset, as: UInt16.self))
        guard lower >= PageLayout.headerSize, lower & 1 == 0, lower <= upper, upper & 1 == 0, upper <= page.count else {
            throw .damaged(number, "has no sound bounds")
        }
        self.page = page
        self.number = number
        self.isLeaf = isLeaf
        count = (lower &- PageLayout.headerSize) / 2
        guard count > (isLeaf ? 0 : 1) else { throw .damaged(number, "holds too little") }
    }

    /// Throws unless every node is within the page, overlaps no other, and has a known form. `bytes` has room for a bit
    /// for every two bytes of the page.
    func check(_ bytes: PageBytes) throws(CrosstieError) {
        for index in 0..<count {
            let start = start(of: index)
            guard start >= upper, start & 1 == 0, start <= page.count &- PageLayout.nodeHeaderSize else {
                throw damaged(index, "is outside its page")
            }
            let node = self[index]
            guard node.size <= page.count &- start, node.keySize <= PageLayout.maximumKeySize else {
                throw damaged(index, "is too large")
            }
            if isLeaf { try check(index, node) }
            guard bytes.take(from: start, to: start + (node.size + 1) & ~1) else {
                throw damaged(index, "overlaps another")
            }
        }
    }

    /// A node that has been checked.
    subscript(index: Int) -> PageNode { PageNode(page, at: start(of: index), isLeaf: isLeaf) }

    private func start(of index: Int) -> Int {
        Int(page.loadUnaligned(fromByteOffset: PageLayout.headerSize + 2 * index, as: UInt16.self))
    }

    private func check(_ index: Int, _ node: PageNode) throws(CrosstieError) {
        guard node.keySize > 0, node.flags & ~PageLayout.isBig == 0,
            node.isBig || node.size <= PageLayout.largestNode(pageSize: page.count)
        else { throw damaged(index, "is of no known form") }
    }

    private func damaged(_ index: Int, _ what: String) -> CrosstieError {
        .damaged(number, "is damaged: its node \(index) \(what)")
    }
}
