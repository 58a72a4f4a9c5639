/// A list of free pages, which comes in parts.
struct FreePageList {
    private let size: UInt64
    /// The number of pages that are still to come; nil before the count has come.
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
