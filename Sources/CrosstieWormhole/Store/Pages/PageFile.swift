internal import Glibc

/// The pages of a store's file, read one by one. No process writes to it meanwhile.
struct PageFile: ~Copyable {
    private let file: Int32
    let pageSize: Int
    /// Pages that lie within the file.
    let pageCount: UInt64
    /// The pages that are known to be in use, a bit each.
    private let seen: UnsafeMutablePointer<UInt64>

    init(file: Int32, pageSize: Int, pageCount: UInt64) throws(CrosstieError) {
        let words = Int(clamping: pageCount / 64 &+ 1)
        guard let memory = Memory.allocateZeroed(words &* MemoryLayout<UInt64>.stride) else { throw .outOfMemory }
        seen = memory.bindMemory(to: UInt64.self, capacity: words)
        self.file = file
        self.pageSize = pageSize
        self.pageCount = pageCount
    }

    deinit { Memory.free(seen) }

    /// Notes that pages are in use; no page is twice.
    func take(_ number: UInt64, count: UInt64 = 1) throws(CrosstieError) {
        guard number >= PageLayout.firstPage, number < pageCount, count > 0, count <= pageCount &- number else {
            throw .damaged(number, "is outside the file")
        }
        for page in number..<number &+ count {
            let word = seen + Int(clamping: page / 64)
            let bit = UInt64(1) << (page % 64)
            guard word.pointee & bit == 0 else { throw .damaged(page, "is used twice") }
            word.pointee |= bit
        }
    }

    /// Whether a page within the file is known to be in use.
    func isTaken(_ number: UInt64) -> Bool { seen[Int(clamping: number / 64)] >> (number % 64) & 1 == 1 }

    /// Reads the beginning of a page.
    func read(_ number: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CrosstieError) {
        try read(at: number &* UInt64(pageSize), into: buffer)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CrosstieError) {
        guard try PageFile.read(file, at: offset, into: buffer) else {
            throw .damaged(offset / UInt64(pageSize), "is outside the file")
        }
    }

    /// Fills a buffer from a file. False when the file ends before.
    static func read(
        _ file: Int32, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(CrosstieError) -> Bool {
        var count: Int
        repeat {
            count = pread(file, buffer.baseAddress, buffer.count, Int(clamping: offset))
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .system("read data.mdb", errno) }
        return count == buffer.count
    }
}

extension CrosstieError {
    /// A page that LMDB must not see.
    static func damaged(_ page: UInt64, _ what: String) -> CrosstieError {
        CrosstieError(.corruptData, "page \(page) of data.mdb \(what)")
    }
}
