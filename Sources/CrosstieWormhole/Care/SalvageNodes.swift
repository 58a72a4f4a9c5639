/// The nodes of a page that may be damaged: those that lie within it and have a known form.
struct SalvageNodes {
    /// In the order of the page's list.
    private(set) var nodes: [(index: Int, node: PageNode)] = []
    /// The number of those that could not be read.
    private(set) var lostCount = 0
    /// Whether the page's head is valid.
    let isSound: Bool

    init(_ page: UnsafeRawBufferPointer, number: UInt64, isLeaf: Bool) {
        let lower = Int(page.loadUnaligned(fromByteOffset: PageLayout.lowerOffset, as: UInt16.self))
        let upper = Int(page.loadUnaligned(fromByteOffset: PageLayout.upperOffset, as: UInt16.self))
        let flags = page.loadUnaligned(fromByteOffset: PageLayout.flagsOffset, as: UInt16.self)
        isSound =
            page.loadUnaligned(as: UInt64.self) == number && flags == (isLeaf ? PageLayout.isLeaf : PageLayout.isBranch)
            && lower >= PageLayout.headerSize && lower & 1 == 0 && lower <= upper && upper <= page.count
        // Without a sound head the list may be as long as it looks sensible.
        let end = isSound ? lower : page.count
        for position in stride(from: PageLayout.headerSize, to: end - 1, by: 2) {
            let start = Int(page.loadUnaligned(fromByteOffset: position, as: UInt16.self))
            let index = (position - PageLayout.headerSize) / 2
            if let node = SalvageNodes.node(
                page, at: start, from: isSound ? upper : position + 2, index, isLeaf: isLeaf)
            {
                nodes.append((index, node))
            } else if isSound {
                lostCount += 1
            } else {
                break
            }
        }
    }

    private static func node(
        _ page: UnsafeRawBufferPointer, at start: Int, from least: Int, _ index: Int, isLeaf: Bool
    ) -> PageNode? {
        guard start >= least, start & 1 == 0, start <= page.count - PageLayout.nodeHeaderSize else { return nil }
        let node = PageNode(page, at: start, isLeaf: isLeaf)
        guard node.keySize <= PageLayout.maximumKeySize, node.size <= page.count - start else { return nil }
        guard isLeaf else { return node.keySize > 0 || index == 0 ? node : nil }
        let isKnown = node.flags & ~PageLayout.isBig == 0
        return node.keySize > 0 && isKnown ? node : nil
    }
}
