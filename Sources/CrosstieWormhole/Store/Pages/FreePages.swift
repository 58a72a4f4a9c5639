/// The lists of pages that LMDB may use again: each a count and then numbers, the largest first, of pages that nothing
/// else uses.
enum FreePages {
    /// Takes the pages that a node of the free pages' tree lists.
    static func take(_ node: PageNode, _ file: borrowing PageFile, commit: UInt64) throws(CrosstieError) {
        guard node.key.count == 8, node.key.loadUnaligned(as: UInt64.self) <= commit else {
            throw CrosstieError(.corruptData, "data.mdb lists free pages of no commit")
        }
        var list = FreePageList(size: UInt64(node.valueSize))
        guard node.isBig else { return try list.take(node.value, file) }
        let size = UInt64(node.valueSize)
        let start = node.bigPage &* UInt64(file.pageSize) &+ UInt64(PageLayout.headerSize)
        try withUnsafeTemporaryAllocation(byteCount: file.pageSize, alignment: 8) { buffer throws(CrosstieError) in
            var offset: UInt64 = 0
            while offset < size {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer.prefix(Int(clamping: min(size &- offset, UInt64(buffer.count)))))
                try file.read(at: start &+ offset, into: part)
                try list.take(UnsafeRawBufferPointer(part), file)
                offset &+= UInt64(part.count)
            }
        }
    }
}

extension CrosstieError {
    static var damagedFreeList: CrosstieError {
        CrosstieError(.corruptData, "a list of free pages in data.mdb is damaged")
    }
}
