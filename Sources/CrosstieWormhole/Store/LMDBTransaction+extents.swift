internal import CLMDB
internal import CPlatform
internal import Glibc

/// Large records in extents.
extension LMDBTransaction {
    /// From so many bytes on, having the system make all pages at once is faster.
    static var largeSize: Int { 1 << 20 }

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

    func bytes(of extent: Extent) throws(CrosstieError) -> UnsafeRawBufferPointer? {
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
        defer { extentCount &+= 1 }
        let needed = size &+ ExtentReference.writeNumberSize
        if let (extent, start) = try takeFreeExtent(for: size) {
            let reference = try putReference(to: extent, size: size, key, isLast: isLast)
            if store.isFast, let bytes = try bytes(of: extent), needed <= bytes.count {
                let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return reference.sealed(UnsafeMutableRawBufferPointer(start: base, count: needed))
            }
            let write = try ExtentWrite(
                try store.descriptor(), start: start, size: needed, isMapped: isMapped(needed))
            extentWrite = write
            return reference.sealed(write.room)
        }
        let extent = try newExtent(for: size)
        let reference = try putReference(to: extent, size: size, key, isLast: isLast)
        let capacity = Int(extent.pageCount) &* Int(store.pageSize) &- Extent.headerSize
        let bytes = try extent.key.withBytes { key throws(CrosstieError) in try put(key, size: capacity) }
        // Outside a writable map LMDB takes what is so large from the C library, which may give it back to the system
        // after each commit.
        if size >= LMDBTransaction.largeSize, !store.isFast { cp_populate(bytes.baseAddress, size) }
        // LMDB writes all of it to the file, and clears no more than its last page.
        UnsafeMutableRawBufferPointer(rebasing: bytes[size...]).initializeMemory(as: UInt8.self, repeating: 0)
        return reference.sealed(bytes)
    }

    /// One with a sixteenth more than needed, for the next record may be a bit larger.
    private func newExtent(for size: Int) throws(CrosstieError) -> Extent {
        guard let pages = Extent.pages(for: size, pageSize: store.pageSize), pages < .max / 2 else {
            throw CrosstieError(.limitExceeded, "a record of \(size) bytes")
        }
        store.wakeups.extents.pointee.store(Wakeups.Extents.some, ordering: .relaxed)
        return Extent(pageCount: pages &+ pages / 16, maker: number, index: extentCount)
    }

    /// Whether a record of so many bytes is written into the file's pages. With system durability the disk would take
    /// these one by one.
    private func isMapped(_ size: Int) -> Bool {
        size > ExtentRoom.largestKept && !store.isSystem && store.pageSize % UInt64(sysconf(Int32(_SC_PAGESIZE))) == 0
    }

    private func putReference(
        to extent: Extent, size: Int, _ key: UnsafeRawBufferPointer, isLast: Bool
    ) throws(CrosstieError) -> ExtentReference {
        let reference = ExtentReference(extent, size: size, transaction: number, index: extentCount)
        reference.write(into: try put(key, size: ExtentReference.size, isLast: isLast))
        return reference
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
    }
}
