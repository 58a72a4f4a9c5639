internal import CLMDB
internal import CPlatform
internal import Glibc

/// Large records in extents.
extension LMDBTransaction {
    /// From so many bytes on, having the system make all pages at once is faster.
    static var largeSize: Int { 1 << 20 }
    /// Room for a record of so many bytes is kept from one record to the next: 4 MiB and what is stored beside them.
    static var largestKeptRoom: Int { (4 << 20) + (64 << 10) }

    // MARK: Reading

    /// Returns a record, from its extent if it has one. A reference that leads nowhere remains as it is, which is no
    /// record of any format.
    @inline(__always)
    func resolved(_ record: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer {
        ExtentReference.isLikely(record) ? try recordInExtent(record) : record
    }

    @inline(never)
    private func recordInExtent(_ record: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer {
        guard let reference = ExtentReference(record) else { return record }
        return reference.record(in: try bytes(of: reference.extent)) ?? record
    }

    private func bytes(of extent: Extent) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        try extent.key.withBytes { key throws(CrosstieError) in try find(key) }
    }

    /// Whether the store may have extents. In a transaction that writes, called before it removes anything.
    @inline(__always)
    var mayHaveExtents: Bool {
        switch store.wakeups.extents.pointee.load(ordering: .relaxed) {
        case Wakeups.Extents.none: false
        case Wakeups.Extents.some: true
        default: findExtents()
        }
    }

    @inline(never)
    private func findExtents() -> Bool {
        var isThere = true
        if let cursor = try? openCursor(store.database) {
            defer { mdb_cursor_close(cursor) }
            var (type, key, data) = (StoreKey.extent, MDB_val(), MDB_val())
            let result = withUnsafeBytes(of: &type) { start in
                key = MDB_val(start)
                return mdb_cursor_get(cursor, &key, &data, MDB_SET_RANGE)
            }
            isThere = result != MDB_NOTFOUND && (result != 0 || Extent.owns(UnsafeRawBufferPointer(key)))
        }
        store.wakeups.extents.pointee.store(isThere ? Wakeups.Extents.some : Wakeups.Extents.none, ordering: .relaxed)
        return isThere
    }

    // MARK: Writing

    /// Makes room for a large record. The extent of the record before it has been released.
    @inline(never)
    func reserveExtent(
        _ key: UnsafeRawBufferPointer, size: Int, isLast: Bool
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        if let (extent, start) = try takeFreeExtent(for: size) {
            try putReference(ExtentReference(extent, size: size), key, isLast: isLast)
            if store.isFast, let bytes = try bytes(of: extent), size <= bytes.count {
                let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return UnsafeMutableRawBufferPointer(start: base, count: size)
            }
            let write = try ExtentWrite(try store.descriptor(), start: start, size: size, room: extentRoom(for: size))
            extentWrite = write
            return write.room
        }
        let extent = try newExtent(for: size)
        try putReference(ExtentReference(extent, size: size), key, isLast: isLast)
        let capacity = Int(extent.pageCount) &* Int(store.pageSize) &- Extent.headerSize
        let bytes = try extent.key.withBytes { key throws(CrosstieError) in try put(key, size: capacity) }
        // Outside a writable map LMDB takes what is so large from the C library, which may give it back to the system
        // after each commit.
        if size >= LMDBTransaction.largeSize, !store.isFast { cp_populate(bytes.baseAddress, size) }
        // LMDB writes all of it to the file, and clears no more than its last page.
        UnsafeMutableRawBufferPointer(rebasing: bytes[size...]).initializeMemory(as: UInt8.self, repeating: 0)
        return UnsafeMutableRawBufferPointer(rebasing: bytes[..<size])
    }

    /// One with a sixteenth more than needed, for the next record may be a bit larger.
    private func newExtent(for size: Int) throws(CrosstieError) -> Extent {
        guard let pages = Extent.pages(for: size, pageSize: store.pageSize), pages < .max / 2 else {
            throw CrosstieError(.limitExceeded, "a record of \(size) bytes")
        }
        defer { extentCount &+= 1 }
        store.wakeups.extents.pointee.store(Wakeups.Extents.some, ordering: .relaxed)
        return Extent(pageCount: pages &+ pages / 16, maker: number, index: extentCount)
    }

    /// Room that is kept from one record to the next; nil for a large one, which is written into the file's pages. With
    /// system durability the disk would take these one by one.
    private func extentRoom(for size: Int) throws(CrosstieError) -> UnsafeMutableRawBufferPointer? {
        guard size <= LMDBTransaction.largestKeptRoom || store.isSystem else { return nil }
        if size > keptRoom?.count ?? 0 {
            freeRoom()
            // Whole steps of 64 KiB, so that records of almost one size share it.
            let capacity = (size &+ 0xFFFF) & ~0xFFFF
            guard let base = malloc(capacity) else { throw .outOfMemory }
            keptRoom = UnsafeMutableRawBufferPointer(start: base, count: capacity)
        }
        return keptRoom.map { UnsafeMutableRawBufferPointer(rebasing: $0[..<size]) }
    }

    private func putReference(
        _ reference: ExtentReference, _ key: UnsafeRawBufferPointer, isLast: Bool
    ) throws(CrosstieError) {
        reference.write(into: try put(key, size: ExtentReference.size, isLast: isLast))
    }

    @inline(__always)
    func endExtentWrite() throws(CrosstieError) {
        if extentWrite != nil { try finishExtentWrite() }
    }

    @inline(never)
    private func finishExtentWrite() throws(CrosstieError) {
        defer { dropExtentWrite() }
        try extentWrite?.finish()
    }

    func dropExtentWrite() {
        guard let write = extentWrite else { return }
        write.drop()
        extentWrite = nil
        if keptRoom?.count ?? 0 > LMDBTransaction.largestKeptRoom { freeRoom() }
    }

    func freeRoom() {
        free(keptRoom?.baseAddress)
        keptRoom = nil
    }

    // MARK: Free extents

    /// Releases the extent of the record under a key, if it has one.
    @inline(__always)
    func releaseExtent(under key: UnsafeRawBufferPointer) throws(CrosstieError) {
        if Extent.mayHold(key), mayHaveExtents { try releaseFoundExtent(under: key) }
    }

    @inline(never)
    private func releaseFoundExtent(under key: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard let record = try find(key), let reference = ExtentReference(record) else { return }
        try release(reference.extent)
    }

    /// Leaves an extent to another record.
    func release(_ extent: Extent) throws(CrosstieError) {
        try extent.freeKey(since: number).withBytes { key throws(CrosstieError) in
            try put(key, size: 1).storeBytes(of: 1, as: UInt8.self)
        }
    }

    /// Takes a free extent that has room for a record, and at most a quarter more. Returns also its offset in the file.
    private func takeFreeExtent(for size: Int) throws(CrosstieError) -> (Extent, start: Int)? {
        guard mayHaveExtents, let least = Extent.pages(for: size, pageSize: store.pageSize) else { return nil }
        let cursor = try openCursor(store.database)
        defer { mdb_cursor_close(cursor) }
        var oldest: UInt64?
        var first = least
        while let (extent, since) = try freeExtent(cursor, from: first), extent.pageCount <= least &+ least / 4 {
            let state = oldest ?? min(number &- 1, store.oldestStateRead)
            oldest = state
            // LMDB's rule for pages: a reader of an older state may still read it.
            guard since < state else {
                first = extent.pageCount &+ 1
                continue
            }
            try CrosstieError.check(mdb_cursor_del(cursor, 0), "take an extent")
            if let start = try start(of: extent, for: size) { return (extent, start) }
        }
        return nil
    }

    /// Puts the cursor on the first free extent of so many pages or more. Of extents of one size, the first is the one
    /// that has been free for longest.
    private func freeExtent(
        _ cursor: OpaquePointer?, from pageCount: UInt32
    ) throws(CrosstieError) -> (Extent, since: UInt64)? {
        try Extent.freeKey(from: pageCount).withBytes { start throws(CrosstieError) in
            var key = MDB_val(start)
            var data = MDB_val()
            let result = mdb_cursor_get(cursor, &key, &data, MDB_SET_RANGE)
            if result == MDB_NOTFOUND { return nil }
            try CrosstieError.check(result, "look for an extent")
            return Extent.free(UnsafeRawBufferPointer(key)).map { ($0.extent, $0.since) }
        }
    }

    /// The offset of an extent in the file; nil if it is not what its key says. The header of its first page, before the
    /// record, has the page's number.
    private func start(of extent: Extent, for size: Int) throws(CrosstieError) -> Int? {
        guard let bytes = try bytes(of: extent), size <= bytes.count, let base = bytes.baseAddress else { return nil }
        let header = UnsafeRawPointer(base - Extent.headerSize)
        let page = header.loadUnaligned(as: UInt64.self)
        let flags = header.loadUnaligned(fromByteOffset: PageLayout.flagsOffset, as: UInt16.self)
        let count = header.loadUnaligned(fromByteOffset: PageLayout.overflowCountOffset, as: UInt32.self)
        let end = page.addingReportingOverflow(UInt64(count))
        // A page that this transaction has made is not in the file yet.
        guard flags == PageLayout.isOverflow, count == extent.pageCount, page >= PageLayout.firstPage, !end.overflow,
            end.partialValue <= store.mapSize / store.pageSize
        else { return nil }
        return Int(exactly: page &* store.pageSize)
    }

    /// Has LMDB free the pages of free extents, the largest first, until there are so many.
    /// - Returns: how many pages.
    func dropFreeExtents(pages wanted: UInt64) throws(CrosstieError) -> UInt64 {
        try endExtentWrite()
        guard mayHaveExtents else { return 0 }
        let cursor = try openCursor(store.database)
        defer { mdb_cursor_close(cursor) }
        var pages: UInt64 = 0
        while pages < wanted, let extent = try largestFreeExtent(cursor) {
            try CrosstieError.check(mdb_cursor_del(cursor, 0), "drop an extent")
            try extent.key.withBytes { key throws(CrosstieError) in try delete(key) }
            pages &+= UInt64(extent.pageCount)
        }
        return pages
    }

    private func largestFreeExtent(_ cursor: OpaquePointer?) throws(CrosstieError) -> Extent? {
        try [StoreKey.freeExtent + 1].withBytes { end throws(CrosstieError) in
            var key = MDB_val(end)
            var data = MDB_val()
            let result = mdb_cursor_get(cursor, &key, &data, MDB_SET_RANGE)
            if result != MDB_NOTFOUND { try CrosstieError.check(result, "look for an extent") }
            let before = mdb_cursor_get(cursor, &key, &data, result == MDB_NOTFOUND ? MDB_LAST : MDB_PREV)
            if before == MDB_NOTFOUND { return nil }
            try CrosstieError.check(before, "look for an extent")
            return Extent.free(UnsafeRawBufferPointer(key))?.extent
        }
    }

    /// The number of pages in free extents.
    func freeExtentPages() throws(CrosstieError) -> UInt64 {
        var pages: UInt64 = 0
        try Extent.freeKey(from: 0).withBytes { start throws(CrosstieError) in
            try scan(store.database, from: start) { key, _ in
                guard let (extent, _) = Extent.free(key) else { return .stop }
                pages &+= UInt64(extent.pageCount)
                return .next
            }
        }
        return pages
    }
}
