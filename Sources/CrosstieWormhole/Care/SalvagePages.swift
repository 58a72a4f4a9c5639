internal import Glibc

/// The pages of a store's file that may be damaged, read one by one, and never followed further than that.
final class SalvagePages {
    let file: Int32
    let pageSize: Int
    let pageCount: UInt64
    /// Descriptions of the store, the newest first.
    let roots: [Root]
    private let buffer: UnsafeMutableRawBufferPointer
    private var current = UInt64.max

    /// The contents of one of the first two pages.
    struct Root {
        let commit: UInt64
        let main: PageTree
        let free: PageTree
    }

    init(_ file: Int32) throws(CrosstieError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("stat data.mdb", errno) }
        self.file = file
        pageSize = SalvagePages.findPageSize(file)
        pageCount = UInt64(clamping: status.st_size) / UInt64(pageSize)
        buffer = .allocate(byteCount: pageSize, alignment: 8)
        var found: [Root] = []
        for page in 0..<2 {
            if let root = SalvagePages.root(file, UInt64(page), pageSize) { found.append(root) }
        }
        roots = found.sorted { $0.commit > $1.commit }
    }

    deinit { buffer.deallocate() }

    /// A page's bytes, which last until the next one is read; nil for one outside the file.
    func read(_ number: UInt64) -> UnsafeRawBufferPointer? {
        guard number < pageCount else { return nil }
        if current != number {
            current = .max
            guard (try? PageFile.read(file, at: number &* UInt64(pageSize), into: buffer)) == true else { return nil }
            current = number
        }
        return UnsafeRawBufferPointer(buffer)
    }

    /// The number of pages of a large value, from its first one; nil for a page that begins none.
    func overflowCount(_ number: UInt64) -> UInt64? {
        guard number >= PageLayout.firstPage, let page = read(number), page.loadUnaligned(as: UInt64.self) == number,
            flags(page) == PageLayout.isOverflow
        else { return nil }
        let count = UInt64(page.loadUnaligned(fromByteOffset: PageLayout.overflowCountOffset, as: UInt32.self))
        return count > 0 && count <= pageCount &- number ? count : nil
    }

    func flags(_ page: UnsafeRawBufferPointer) -> UInt16 {
        page.loadUnaligned(fromByteOffset: PageLayout.flagsOffset, as: UInt16.self)
    }

    /// A value in pages of its own; nil if those pages are malformed.
    func large(_ number: UInt64, size: UInt32) -> [UInt8]? {
        guard let count = overflowCount(number), count >= PageLayout.overflowPages(for: size, pageSize: pageSize) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let start = number &* UInt64(pageSize) &+ UInt64(PageLayout.headerSize)
        let isRead = bytes.withUnsafeMutableBytes { (try? PageFile.read(file, at: start, into: $0)) == true }
        return isRead ? bytes : nil
    }

    /// Which pages the list of free pages, itself included, has; nil when it cannot be read.
    func freePages(of root: Root) -> PageSet? {
        do throws(CrosstieError) {
            let pages = try PageFile(file: file, pageSize: pageSize, pageCount: pageCount)
            var tree = try TreeCheck(root.free, pageSize: pageSize)
            try tree.run(pages) { node throws(CrosstieError) in
                try FreePages.take(node, pages, commit: root.commit)
            }
            var free = PageSet(pageCount)
            for page in 0..<pageCount where pages.isTaken(page) { free.insert(page) }
            return free
        } catch {
            return nil
        }
    }

    // MARK: The first two pages

    private static func root(_ file: Int32, _ page: UInt64, _ pageSize: Int) -> Root? {
        var bytes = [UInt8](repeating: 0, count: PageLayout.metaSize)
        let isRead = bytes.withUnsafeMutableBytes {
            (try? PageFile.read(file, at: page &* UInt64(pageSize), into: $0)) == true
        }
        guard isRead else { return nil }
        return bytes.withUnsafeBytes { meta in
            guard pageSize == statedSize(meta) else { return nil }
            let commit = meta.loadUnaligned(fromByteOffset: PageLayout.commitOffset, as: UInt64.self)
            guard commit < PageLayout.largestCommit,
                let main = try? PageTree(meta, at: PageLayout.mainTreeOffset, hasNumbers: false),
                let free = try? PageTree(meta, at: PageLayout.freeTreeOffset, hasNumbers: true)
            else { return nil }
            return Root(commit: commit, main: main, free: free)
        }
    }

    /// The page size that one of the two states; nil for an impossible one.
    private static func statedSize(_ meta: UnsafeRawBufferPointer) -> Int? {
        guard meta.loadUnaligned(fromByteOffset: PageLayout.flagsOffset, as: UInt16.self) & PageLayout.isMeta != 0,
            meta.loadUnaligned(fromByteOffset: PageLayout.magicOffset, as: UInt32.self) == PageLayout.metaMagic,
            meta.loadUnaligned(fromByteOffset: PageLayout.versionOffset, as: UInt32.self) == PageLayout.metaVersion
        else { return nil }
        let size = Int(meta.loadUnaligned(fromByteOffset: PageLayout.freeTreeOffset, as: UInt32.self))
        return PageLayout.pageSizes.contains(size) && size & (size &- 1) == 0 ? size : nil
    }

    /// The first page states it, or the second one at its only possible position; otherwise it is the machine's.
    private static func findPageSize(_ file: Int32) -> Int {
        var bytes = [UInt8](repeating: 0, count: PageLayout.metaSize)
        let own = Int(sysconf(Int32(_SC_PAGESIZE)))
        for offset in [0] + [own, 4096, 8192, 16384, 32768, 2048, 1024, 512] {
            let isRead = bytes.withUnsafeMutableBytes {
                (try? PageFile.read(file, at: UInt64(offset), into: $0)) == true
            }
            if isRead, let size = bytes.withUnsafeBytes({ statedSize($0) }), offset == 0 || size == offset {
                return size
            }
        }
        return own
    }
}
