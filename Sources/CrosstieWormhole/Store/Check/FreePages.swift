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

/// A list of free pages, which comes in parts.
private struct FreePageList {
    private let size: UInt64
    /// How many pages are still to come; nil before the count has come.
    private var left: UInt64?
    private var before = UInt64.max

    init(size: UInt64) { self.size = size }

    /// Takes the pages of the next part, whose size is a multiple of a number's but in the last one.
    mutating func take(_ part: UnsafeRawBufferPointer, _ file: borrowing PageFile) throws(CrosstieError) {
        var offset = 0
        while offset + 8 <= part.count, left != 0 {
            let number = part.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
            guard let count = left else {
                guard number <= size / 8 &- min(size / 8, 1) else { throw .damagedFreeList }
                left = number
                continue
            }
            guard number < before else { throw .damagedFreeList }
            try file.take(number)
            before = number
            left = count &- 1
        }
        // An empty list is none that LMDB writes, but one that it can read.
        if left == nil { throw .damagedFreeList }
    }
}

extension CrosstieError {
    fileprivate static var damagedFreeList: CrosstieError {
        CrosstieError(.corruptData, "a list of free pages in data.mdb is damaged")
    }
}
