internal import Glibc

/// The contents of the newer one of the first two pages, with which LMDB begins.
struct NewestMeta {
    let pageSize: Int
    let pageCount: UInt64
    let commit: UInt64
    let main: PageTree
    let free: PageTree

    init(_ file: Int32) throws(CrosstieError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("stat data.mdb", errno) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * PageLayout.metaSize, alignment: 8)
        defer { buffer.deallocate() }
        let first = UnsafeMutableRawBufferPointer(rebasing: buffer[..<PageLayout.metaSize])
        let second = UnsafeMutableRawBufferPointer(rebasing: buffer[PageLayout.metaSize...])
        pageSize = try NewestMeta.read(file, page: 0, size: 0, into: first)
        guard try NewestMeta.read(file, page: 1, size: pageSize, into: second) == pageSize else {
            throw .damaged(1, "states pages of another size")
        }
        let (older, newer) = (NewestMeta.commit(first), NewestMeta.commit(second))
        let meta = UnsafeRawBufferPointer(older < newer ? second : first)
        commit = max(older, newer)
        guard commit < PageLayout.largestCommit else {
            throw CrosstieError(.corruptData, "data.mdb states \(commit) commits, which no store has")
        }
        let last = meta.loadUnaligned(fromByteOffset: PageLayout.lastPageOffset, as: UInt64.self)
        guard last >= 1, last < UInt64(clamping: status.st_size) / UInt64(pageSize) else {
            throw CrosstieError(.corruptData, "data.mdb is shorter than it states")
        }
        pageCount = last &+ 1
        main = try PageTree(meta, at: PageLayout.mainTreeOffset, hasNumbers: false)
        free = try PageTree(meta, at: PageLayout.freeTreeOffset, hasNumbers: true)
    }

    private static func commit(_ meta: UnsafeMutableRawBufferPointer) -> UInt64 {
        meta.loadUnaligned(fromByteOffset: PageLayout.commitOffset, as: UInt64.self)
    }

    /// Reads one of the two pages; returns the page size that it states.
    private static func read(
        _ file: Int32, page: UInt64, size: Int, into meta: UnsafeMutableRawBufferPointer
    ) throws(CrosstieError) -> Int {
        guard try PageFile.read(file, at: page &* UInt64(size), into: meta) else {
            throw .damaged(page, "is outside the file")
        }
        let flags = meta.loadUnaligned(fromByteOffset: PageLayout.flagsOffset, as: UInt16.self)
        let magic = meta.loadUnaligned(fromByteOffset: PageLayout.magicOffset, as: UInt32.self)
        let version = meta.loadUnaligned(fromByteOffset: PageLayout.versionOffset, as: UInt32.self)
        guard flags & PageLayout.isMeta != 0, magic == PageLayout.metaMagic, version == PageLayout.metaVersion else {
            throw .damaged(page, "does not describe a store")
        }
        // LMDB keeps the size of pages where a tree has the size of fixed values.
        let stated = meta.loadUnaligned(fromByteOffset: PageLayout.freeTreeOffset, as: UInt32.self)
        let pageSize = Int(truncatingIfNeeded: stated)
        guard PageLayout.pageSizes.contains(pageSize), pageSize & (pageSize &- 1) == 0 else {
            throw .damaged(page, "states pages of \(stated) bytes")
        }
        return pageSize
    }
}
