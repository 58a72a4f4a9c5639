internal import CLMDB

/// LMDB needs a few pages for every change, also for one that removes. A reserve is kept from those that
/// add, so that destroying makes room even when the store is full.
extension LMDBStore {
    /// Throws when a change that adds `size` bytes would eat into the reserve, and the store cannot grow. The writers'
    /// lock is held, and no transaction of this thread is open.
    @inline(__always)
    func requireRoom(for size: Int) throws(CrosstieError) {
        try adoptSize()
        try gate.enterWriting()
        let used = usedPages
        gate.leaveWriting()
        let needed = reservedPages &+ UInt64(clamping: size) / pageSize &+ 1
        if used &+ needed > pageCount { try makeRoom(needed, untouched: pageCount &- min(used, pageCount)) }
    }

    /// Pages that have ever been used, free ones included.
    var usedPages: UInt64 {
        var info = MDB_envinfo()
        mdb_env_info(environment, &info)
        return UInt64(bitPattern: Int64(info.me_last_pgno)) &+ 1
    }

    private var pageCount: UInt64 { mapSize / pageSize }

    /// The path to a leaf, LMDB's list of free pages, and the longest entry of that list: one word for each page.
    private var reservedPages: UInt64 { 32 &+ pageCount / 256 }

    /// Whether there are pages enough for a change that adds `size` bytes, though it has found no room.
    func hasPages(for size: Int) -> Bool {
        guard let free = try? freePages(), (try? gate.enterReading()) != nil else { return false }
        defer { gate.leaveReading() }
        let needed = reservedPages &+ UInt64(clamping: size) / pageSize &+ 1
        return free &+ (pageCount &- min(usedPages, pageCount)) >= needed
    }

    @inline(never)
    private func makeRoom(_ needed: UInt64, untouched: UInt64) throws(CrosstieError) {
        let free = try freePages() &+ untouched
        if free >= needed { return }
        let inExtents = try freeExtentPages()
        let isEnough = free &+ inExtents >= needed
        // A large record may fit into a free extent, which its writer finds out.
        let isLarge = needed &- reservedPages >= UInt64(Extent.smallestRecord) / pageSize
        if isEnough, isLarge, free >= reservedPages { return }
        if !isEnough, try grow(for: (needed &- free) &* pageSize) { return }
        clearDeadReaders()
        throw CrosstieError(.noSpace, "the group's store is full: \(mapSize >> 20) MiB")
    }

    /// The number of pages in free extents. No transaction of this thread is open.
    func freeExtentPages() throws(CrosstieError) -> UInt64 {
        let snapshot = try reading()
        return try (snapshot.records as? LMDBTransaction)?.freeExtentPages() ?? 0
    }

    /// Twice the pages that a change of so many bytes needs, since not all of them are next to each other.
    func pagesToDrop(for size: Int) -> UInt64 { 64 &+ UInt64(clamping: size) / pageSize &* 2 }
}
