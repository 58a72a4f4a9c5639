/// The layout of LMDB's pages: its data format 1, as `mdb.c` of version 0.9.24 has it (structures `MDB_page`,
/// `MDB_meta`, `MDB_db` and `MDB_node`).
enum PageLayout {
    /// The first page behind the two that describe the store.
    static var firstPage: UInt64 { 2 }
    static var pageSizes: ClosedRange<Int> { 512...32768 }
    /// Nothing: the root of an empty tree.
    static var noPage: UInt64 { .max }

    // A page.
    static var flagsOffset: Int { 10 }
    static var lowerOffset: Int { 12 }
    static var upperOffset: Int { 14 }
    /// In a page of an overflow value: how many pages it has.
    static var overflowCountOffset: Int { 12 }
    static var headerSize: Int { 16 }

    static var isBranch: UInt16 { 1 }
    static var isLeaf: UInt16 { 2 }
    static var isOverflow: UInt16 { 4 }
    static var isMeta: UInt16 { 8 }

    // One of the first two pages.
    static var metaMagic: UInt32 { 0xBEEF_C0DE }
    static var metaVersion: UInt32 { 1 }
    static var magicOffset: Int { 16 }
    static var versionOffset: Int { 20 }
    static var freeTreeOffset: Int { 40 }
    static var mainTreeOffset: Int { 88 }
    static var lastPageOffset: Int { 136 }
    static var commitOffset: Int { 144 }
    static var metaSize: Int { 152 }
    /// No store gets to a commit of this number; a million of them each second take 36,000 years.
    static var largestCommit: UInt64 { 1 << 60 }

    // A tree.
    static var treeFlagsOffset: Int { 4 }
    static var treeDepthOffset: Int { 6 }
    static var entryCountOffset: Int { 32 }
    static var rootOffset: Int { 40 }
    static var maximumDepth: Int { 32 }
    static var hasIntegerKeys: UInt16 { 8 }

    // A node of a page.
    static var nodeFlagsOffset: Int { 4 }
    static var keySizeOffset: Int { 6 }
    static var nodeHeaderSize: Int { 8 }
    static var maximumKeySize: Int { 511 }
    /// The value has pages of its own, and the node their number.
    static var isBig: UInt16 { 1 }
    static var bigNodeSize: Int { 8 }

    /// Bytes that a node takes at most, but for its entry in the page's list.
    static func largestNode(pageSize: Int) -> Int { ((pageSize &- headerSize) / 2) & ~1 &- 2 }

    /// The number of pages of a value that has pages of its own.
    static func overflowPages(for size: UInt32, pageSize: Int) -> UInt64 {
        UInt64(headerSize &- 1 &+ Int(size)) / UInt64(pageSize) &+ 1
    }
}
