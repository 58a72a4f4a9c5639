internal import Glibc

/// The two pages at the beginning of `data.mdb`, each with the number of the commit that wrote it.
struct FirstPages {
    let file: Int32
    let pageSize: UInt64

    /// Behind the header of the page, 16 bytes, and 128 bytes of what the commit has stored.
    private static var numberOffset: UInt64 { 144 }

    /// The first page states the size of pages, for which LMDB uses a field of the database of free pages: 16 bytes of
    /// header, then magic number, version, address and size of the map.
    private static var pageSizeOffset: UInt64 { 40 }

    init(file: Int32, pageSize: UInt64) {
        self.file = file
        self.pageSize = pageSize
    }

    /// Nil if the file does not state a size of pages that LMDB can use. It may come from a machine with larger pages.
    init?(file: Int32) {
        guard let word = FirstPages.word(file, at: FirstPages.pageSizeOffset) else { return nil }
        let size = word & 0xFFFF_FFFF
        guard size.nonzeroBitCount == 1, 256...65536 ~= size else { return nil }
        self.init(file: file, pageSize: size)
    }

    private func offset(of commit: UInt64) -> UInt64 { (commit & 1) &* pageSize &+ FirstPages.numberOffset }

    /// Gives the page of the commit that follows `announced` back the number that it had before, if there is that
    /// commit.
    func withdraw(after announced: UInt64) {
        let commit = announced &+ 1
        guard announced > 0, FirstPages.word(file, at: offset(of: commit)) == commit,
            FirstPages.word(file, at: offset(of: announced)) == announced
        else { return }
        var before = announced &- 1
        guard DiskSpace.isAllowed(2 &* pageSize) else { return }
        pwrite(file, &before, 8, Int(clamping: offset(of: commit)))
    }

    static func word(_ file: Int32, at offset: UInt64) -> UInt64? {
        var word: UInt64 = 0
        return pread(file, &word, 8, Int(clamping: offset)) == 8 ? word : nil
    }
}
