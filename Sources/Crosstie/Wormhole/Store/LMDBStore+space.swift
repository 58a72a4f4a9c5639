internal import CLMDB

/// LMDB needs a few pages for every change, also for one that removes. A reserve is kept from those that
/// add, so that destroying makes room even when the store is full.
extension LMDBStore {
    /// Throws when a change that adds `size` bytes would eat into the reserve. The writer's lock is held.
    @inline(__always)
    func requireRoom(for size: Int) throws(CrosstieError) {
        var info = MDB_envinfo()
        mdb_env_info(environment, &info)
        let used = UInt64(info.me_last_pgno) &+ 1
        let needed = reservedPages &+ UInt64(clamping: size) / pageSize &+ 1
        if used &+ needed > pageCount { try requireFreePages(needed, untouched: pageCount &- min(used, pageCount)) }
    }

    /// The path to a leaf, LMDB's list of free pages, and the longest entry of that list: one word for each page.
    private var reservedPages: UInt64 { 32 &+ pageCount / 256 }

    private func requireFreePages(_ needed: UInt64, untouched: UInt64) throws(CrosstieError) {
        if try freePages() &+ untouched >= needed { return }
        clearDeadReaders()
        throw CrosstieError(.noSpace, "the group's store is full: \(pageCount &* pageSize >> 20) MiB")
    }
}
