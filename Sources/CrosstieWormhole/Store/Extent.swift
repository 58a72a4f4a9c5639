/// A run of pages that holds one large record, behind LMDB's header of a page.
///
/// When LMDB removes a large record, each later commit rewrites a part of the list of its pages, and small records
/// split the run until no large record fits. So a large record is a *reference* to an extent, and an extent outlives
/// its record: another large record replaces it.
struct Extent {
    let pageCount: UInt32
    /// The transaction that made it, and which of that transaction's extents it is.
    let maker: UInt64
    let index: UInt32

    init(pageCount: UInt32, maker: UInt64, index: UInt32) {
        self.pageCount = pageCount
        self.maker = maker
        self.index = index
    }

    /// A record of so many bytes, or more, has an extent.
    static var smallestRecord: Int { 32 << 10 }
    /// The header of the first page.
    static var headerSize: Int { PageLayout.headerSize }

    /// The types of records that may be so large.
    @inline(__always)
    static func mayHold(_ key: UnsafeRawBufferPointer) -> Bool {
        key.first == StoreKey.current || key.first == StoreKey.log || key.first == StoreKey.scheduled
    }

    /// The number of pages that a record of `size` bytes needs; nil for more than there can be.
    static func pages(for size: Int, pageSize: UInt64) -> UInt32? {
        let bytes = UInt64(clamping: size) &+ UInt64(headerSize &+ ExtentReference.writeNumberSize)
        return UInt32(exactly: (bytes &+ pageSize &- 1) / max(pageSize, 1))
    }

    // MARK: Keys

    private static var keySize: Int { 17 }
    private static var freeKeySize: Int { 25 }

    /// The key of the extent itself.
    var key: [UInt8] {
        var key = Extent.key(StoreKey.extent, pageCount, capacity: Extent.keySize)
        Extent.append(maker, to: &key)
        Extent.append(index, to: &key)
        return key
    }

    /// The key of the note that it is free since a transaction.
    func freeKey(since number: UInt64) -> [UInt8] {
        var key = Extent.freeKey(from: pageCount)
        Extent.append(number, to: &key)
        Extent.append(maker, to: &key)
        Extent.append(index, to: &key)
        return key
    }

    /// The keys of free extents of so many pages, or more, begin here.
    static func freeKey(from pageCount: UInt32) -> [UInt8] {
        key(StoreKey.freeExtent, pageCount, capacity: freeKeySize)
    }

    private static func key(_ type: UInt8, _ pageCount: UInt32, capacity: Int) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(capacity)
        key.append(type)
        append(pageCount, to: &key)
        return key
    }

    /// Big-endian, so that keys are in the order of their numbers.
    private static func append(_ number: some FixedWidthInteger, to key: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
    }

    /// Reads the key of a free extent; nil for another key.
    static func free(_ key: UnsafeRawBufferPointer) -> (extent: Extent, since: UInt64)? {
        guard key.count == freeKeySize, key.first == StoreKey.freeExtent else { return nil }
        let extent = Extent(
            pageCount: UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt32.self)),
            maker: UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 13, as: UInt64.self)),
            index: UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 21, as: UInt32.self)))
        return (extent, UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 5, as: UInt64.self)))
    }

    /// Whether a key is of an extent, or of a note about one, and so of no record that anyone reads.
    @inline(__always)
    static func owns(_ key: UnsafeRawBufferPointer) -> Bool {
        key.first == StoreKey.extent || key.first == StoreKey.freeExtent
    }
}
