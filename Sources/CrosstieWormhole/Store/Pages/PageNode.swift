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

    /// A value within the page.
    var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: page[valueStart..<start + size]) }

    private var valueStart: Int { start + PageLayout.nodeHeaderSize + keySize }
}
