internal import CLMDB

/// Extents whose record is removed, and which wait for another one.
extension LMDBTransaction {
    /// Releases the extent of the record under a key, if it has one.
    @inline(__always)
    func releaseExtent(under key: UnsafeRawBufferPointer) throws(CrosstieError) {
        if Extent.mayHold(key), mayHaveExtents { try releaseFoundExtent(under: key) }
    }

    @inline(never)
    private func releaseFoundExtent(under key: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard let record = try find(key), let reference = ExtentReference(record) else { return }
        try release(reference)
    }

    /// Leaves the extent of a record that is removed to another record. A damaged reference may lead to an extent that
    /// is in use: that one is not released.
    func release(_ reference: ExtentReference) throws(CrosstieError) {
        let extent = reference.extent
        guard reference.record(in: try bytes(of: extent)) != nil else { return }
        try extent.freeKey(since: number).withBytes { key throws(CrosstieError) in
            try put(key, size: 1).storeBytes(of: 1, as: UInt8.self)
        }
    }

    /// Takes a free extent that has room for a record, and at most a quarter more. Returns also its offset in the file.
    func takeFreeExtent(for size: Int) throws(CrosstieError) -> (Extent, start: Int)? {
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
        guard let bytes = try bytes(of: extent), size <= bytes.count &- ExtentReference.writeNumberSize,
            let base = bytes.baseAddress
        else { return nil }
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
