internal import CPlatform
internal import Glibc
import Synchronization

/// A record on its way into an extent that was free. LMDB knows nothing of it: it would copy all pages to new ones, in
/// memory of its own, and write them to the file at the commit.
///
/// No state that anyone can read has a record there, so it does not matter where a writer dies.
struct ExtentWrite {
    private let file: Int32
    /// Of the record in the file.
    private let offset: Int
    /// Pages of the file, with LMDB's header before the record; nil if the record is made in ``ExtentRoom``.
    private let pages: UnsafeMutableRawBufferPointer?
    /// Where the caller writes the record.
    let room: UnsafeMutableRawBufferPointer

    /// - Parameters:
    ///   - start: of the extent in the file: a whole number of pages.
    ///   - isMapped: whether the record is made in the pages of the file, or elsewhere and written afterwards.
    init(_ file: Int32, start: Int, size: Int, isMapped: Bool) throws(CrosstieError) {
        self.file = file
        offset = start + Extent.headerSize
        if isMapped {
            guard let base = cp_map_pages(file, Int64(start), Extent.headerSize + size) else { throw .outOfMemory }
            let pages = UnsafeMutableRawBufferPointer(start: base, count: Extent.headerSize + size)
            self.pages = pages
            room = UnsafeMutableRawBufferPointer(rebasing: pages[Extent.headerSize...])
        } else {
            guard let base = ExtentRoom.take(size) else { throw .outOfMemory }
            pages = nil
            room = UnsafeMutableRawBufferPointer(start: base, count: size)
        }
    }

    /// Writes the part that is not in the file yet.
    func finish() throws(CrosstieError) {
        guard pages == nil else { return }
        var done = 0
        while done < room.count {
            let written = pwrite(file, room.baseAddress.map { $0 + done }, room.count - done, offset + done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .system("write data.mdb", written < 0 ? errno : EIO) }
            done += written
        }
    }

    func drop() {
        if let pages {
            munmap(pages.baseAddress, pages.count)
        } else if let base = room.baseAddress {
            ExtentRoom.give(base)
        }
    }
}

extension Wakeups {
    /// Whether the store has extents: a small message then need not look for one that it replaces. Guarded by the
    /// writers' lock.
    @inline(__always)
    var extents: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.extentsOffset) }

    enum Extents {
        // 0: not known yet.
        static var none: UInt64 { 1 }
        static var some: UInt64 { 2 }
    }
}
