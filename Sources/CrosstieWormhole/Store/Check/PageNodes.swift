/// The nodes of a page of a tree, each within the page and none upon another.
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

    /// Throws unless every node lies within the page, upon no other, and has a known form. `bytes` has room for a bit
    /// for every two bytes of the page.
    func check(_ bytes: PageBytes) throws(CrosstieError) {
        for index in 0..<count {
            let start = start(of: index)
            guard start >= upper, start & 1 == 0, start <= page.count &- PageLayout.nodeHeaderSize else {
                throw damaged(index, "lies outside its page")
            }
            let node = self[index]
            guard node.size <= page.count &- start, node.keySize <= PageLayout.maximumKeySize else {
                throw damaged(index, "is too large")
            }
            if isLeaf { try check(index, node) }
            guard bytes.take(from: start, to: start + (node.size + 1) & ~1) else {
                throw damaged(index, "lies upon another")
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

/// A key, and a page's number or a value.
struct PageNode {
    private let page: UnsafeRawBufferPointer
    private let start: Int
    private let isLeaf: Bool
    let keySize: Int

    /// The node's head lies within the page.
    init(_ page: UnsafeRawBufferPointer, at start: Int, isLeaf: Bool) {
        self.page = page
        self.start = start
        self.isLeaf = isLeaf
        keySize = Int(page.loadUnaligned(fromByteOffset: start + PageLayout.keySizeOffset, as: UInt16.self))
    }

    var flags: UInt16 { page.loadUnaligned(fromByteOffset: start + PageLayout.nodeFlagsOffset, as: UInt16.self) }

    var isBig: Bool { flags & PageLayout.isBig != 0 }

    /// The size of a leaf's value, wherever that lies.
    var valueSize: UInt32 { page.loadUnaligned(fromByteOffset: start, as: UInt32.self) }

    /// A branch's child.
    var child: UInt64 { UInt64(valueSize) | UInt64(flags) << 32 }

    /// Bytes in the page.
    var size: Int {
        let value = isLeaf ? isBig ? PageLayout.bigNodeSize : Int(valueSize) : 0
        return PageLayout.nodeHeaderSize + keySize + value
    }

    // Of a node that has been checked:

    var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: page[start + PageLayout.nodeHeaderSize..<valueStart])
    }

    /// The page where a big value begins.
    var bigPage: UInt64 { page.loadUnaligned(fromByteOffset: valueStart, as: UInt64.self) }

    /// A value that lies in the page.
    var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: page[valueStart..<start + size]) }

    private var valueStart: Int { start + PageLayout.nodeHeaderSize + keySize }
}

/// The bytes of a page that belong to something, two to a bit.
struct PageBytes {
    private let words: UnsafeMutablePointer<UInt64>

    /// `words` are `count` words with a bit for every two bytes of a page, all of which are cleared.
    init(_ words: UnsafeMutablePointer<UInt64>, count: Int) {
        words.update(repeating: 0, count: count)
        self.words = words
    }

    /// False if any was taken already. The ends are even and within the page.
    func take(from start: Int, to end: Int) -> Bool {
        var bit = start / 2
        let last = end / 2
        while bit < last {
            let count = min(last - bit, 64 - bit % 64)
            let mask = (UInt64.max >> UInt64(64 - count)) << UInt64(bit % 64)
            let word = words + bit / 64
            guard word.pointee & mask == 0 else { return false }
            word.pointee |= mask
            bit += count
        }
        return true
    }
}
