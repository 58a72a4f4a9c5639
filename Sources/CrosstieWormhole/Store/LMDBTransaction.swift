internal import CLMDB

/// A transaction on LMDB. The object is used again for later ones.
final class LMDBTransaction: RecordTransaction {
    var raw: OpaquePointer
    /// Outlives its transactions; not counted, because each step uses it several times.
    unowned(unsafe) let store: LMDBStore
    private let isWriting: Bool
    /// A record that the caller is writing into an extent. Each further call on the transaction ends it.
    var extentWrite: ExtentWrite?
    /// The number of records that this transaction has written into extents.
    var extentCount: UInt32 = 0

    init(_ raw: OpaquePointer, _ store: LMDBStore, isWriting: Bool) {
        self.raw = raw
        self.store = store
        self.isWriting = isWriting
    }

    /// LMDB numbers its transactions without a gap; the first one made the store.
    var number: UInt64 { UInt64(bitPattern: Int64(mdb_txn_id(raw))) }

    func commit() throws(CrosstieError) {
        defer { store.gate.leaveWriting() }
        do throws(CrosstieError) {
            try endExtentWrite()
        } catch {
            mdb_txn_abort(raw)
            throw error
        }
        try CrosstieError.check(mdb_txn_commit(raw), "commit")
    }

    func end() {
        if isWriting {
            dropExtentWrite()
            mdb_txn_abort(raw)
            store.gate.leaveWriting()
        } else {
            mdb_txn_reset(raw)
            store.giveIdleReader(self)
            store.gate.leaveReading()
        }
    }

    func get(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        try endExtentWrite()
        guard let record = try find(key) else { return nil }
        return try resolved(record)
    }

    /// The bytes under a key as LMDB has them.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        var key = MDB_val(key)
        var data = MDB_val()
        let result = mdb_get(raw, store.database, &key, &data)
        if result == MDB_NOTFOUND { return nil }
        try CrosstieError.check(result, "read")
        return UnsafeRawBufferPointer(data)
    }

    func reserve(
        _ key: UnsafeRawBufferPointer, size: Int, isLast: Bool
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        try endExtentWrite()
        if !isLast { try releaseExtent(under: key) }
        if size >= Extent.smallestRecord, Extent.mayHold(key) {
            return try reserveExtent(key, size: size, isLast: isLast)
        }
        return try put(key, size: size, isLast: isLast)
    }

    /// Makes room under a key in LMDB's own pages.
    @inline(__always)
    func put(
        _ key: UnsafeRawBufferPointer, size: Int, isLast: Bool = false
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        var key = MDB_val(key)
        var data = MDB_val(mv_size: size, mv_data: nil)
        let flags = UInt32(MDB_RESERVE | (isLast ? MDB_APPEND : 0))
        try CrosstieError.check(mdb_put(raw, store.database, &key, &data, flags), "write")
        return UnsafeMutableRawBufferPointer(start: data.mv_data, count: size)
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CrosstieError) {
        try endExtentWrite()
        try releaseExtent(under: key)
        try delete(key)
    }

    /// Removes what LMDB has under a key, if there is something.
    func delete(_ key: UnsafeRawBufferPointer) throws(CrosstieError) {
        var key = MDB_val(key)
        let result = mdb_del(raw, store.database, &key, nil)
        if result != MDB_NOTFOUND { try CrosstieError.check(result, "remove") }
    }

    func removeEverything() throws(CrosstieError) {
        try endExtentWrite()
        _ = mayHaveExtents
        try CrosstieError.check(mdb_drop(raw, store.database, 0), "remove everything")
    }

    func scan(from start: UnsafeRawBufferPointer, _ body: Scan) throws(CrosstieError) {
        try endExtentWrite()
        if isWriting { _ = mayHaveExtents }
        var released: [ExtentReference] = []
        try scan(store.database, from: start) { key, stored throws(CrosstieError) in
            if Extent.owns(key) { return .next }
            let step = try body(key, try resolved(stored))
            if step == .remove, let reference = ExtentReference(stored) { released.append(reference) }
            return step
        }
        for reference in released { try release(reference) }
    }

    /// Shows `body` each record as LMDB has it.
    func scanStored(_ body: Scan) throws(CrosstieError) { try scan(store.database, from: nil, body) }

    func last() throws(CrosstieError) -> (key: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer)? {
        try endExtentWrite()
        let cursor = try openCursor(store.database)
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var data = MDB_val()
        var result = mdb_cursor_get(cursor, &key, &data, MDB_LAST)
        while result == 0, Extent.owns(UnsafeRawBufferPointer(key)) {
            result = mdb_cursor_get(cursor, &key, &data, MDB_PREV)
        }
        if result == MDB_NOTFOUND { return nil }
        try CrosstieError.check(result, "read the last record")
        return (UnsafeRawBufferPointer(key), try resolved(UnsafeRawBufferPointer(data)))
    }

    func openCursor(_ database: MDB_dbi) throws(CrosstieError) -> OpaquePointer? {
        var cursor: OpaquePointer?
        try CrosstieError.check(mdb_cursor_open(raw, database, &cursor), "open a cursor")
        return cursor
    }

    func scan(
        _ database: MDB_dbi, from start: UnsafeRawBufferPointer?, _ body: Scan
    ) throws(CrosstieError) {
        let cursor = try openCursor(database)
        defer { mdb_cursor_close(cursor) }
        var key = start.map { MDB_val($0) } ?? MDB_val()
        var data = MDB_val()
        var result = mdb_cursor_get(cursor, &key, &data, start == nil ? MDB_FIRST : MDB_SET_RANGE)
        while result == 0 {
            switch try body(UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(data)) {
            case .next: break
            case .remove: try CrosstieError.check(mdb_cursor_del(cursor, 0), "remove")
            case .stop: return
            }
            result = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)
        }
        if result != MDB_NOTFOUND { try CrosstieError.check(result, "scan") }
    }

    /// Pages that earlier transactions gave back, from one of a number on.
    func freePages(since number: UInt64) throws(CrosstieError) -> UInt64 {
        var pages: UInt64 = 0
        // Database 0 is LMDB's own list: under each transaction's number, how many pages, then which.
        try scan(0, from: nil) { key, entry throws(CrosstieError) in
            guard key.count == 8, key.loadUnaligned(as: UInt64.self) >= number else { return .next }
            if entry.count >= 8 { pages &+= UInt64(entry.loadUnaligned(as: UInt.self)) }
            return .next
        }
        return pages
    }
}

extension MDB_val {
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    init(_ value: MDB_val) { self.init(start: value.mv_data, count: value.mv_size) }
}
