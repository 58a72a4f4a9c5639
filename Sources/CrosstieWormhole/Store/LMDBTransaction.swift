internal import CLMDB
internal import CPlatform

/// A transaction on LMDB. The object is used again for later ones.
final class LMDBTransaction: RecordTransaction {
    fileprivate var raw: OpaquePointer
    /// Outlives its transactions; not counted, since each step asks it several times.
    private unowned(unsafe) let store: LMDBStore
    private let isWriting: Bool

    fileprivate init(_ raw: OpaquePointer, _ store: LMDBStore, isWriting: Bool) {
        self.raw = raw
        self.store = store
        self.isWriting = isWriting
    }

    private static var largeSize: Int { 1 << 20 }

    /// LMDB numbers its transactions without a gap; the first one made the store.
    var number: UInt64 { UInt64(bitPattern: Int64(mdb_txn_id(raw))) }

    func commit() throws(CrosstieError) {
        defer { store.gate.leaveWriting() }
        try CrosstieError.check(mdb_txn_commit(raw), "commit")
    }

    func end() {
        if isWriting {
            mdb_txn_abort(raw)
            store.gate.leaveWriting()
        } else {
            mdb_txn_reset(raw)
            store.giveIdleReader(self)
            store.gate.leaveReading()
        }
    }

    func get(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
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
        var key = MDB_val(key)
        var data = MDB_val(mv_size: size, mv_data: nil)
        let flags = UInt32(MDB_RESERVE | (isLast ? MDB_APPEND : 0))
        try CrosstieError.check(mdb_put(raw, store.database, &key, &data, flags), "write")
        // Outside a writable map LMDB takes what is so large from the C library, which may give it back to the system
        // after each commit.
        if size >= LMDBTransaction.largeSize, !store.isFast { cp_populate(data.mv_data, size) }
        return UnsafeMutableRawBufferPointer(start: data.mv_data, count: size)
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CrosstieError) {
        var key = MDB_val(key)
        let result = mdb_del(raw, store.database, &key, nil)
        if result != MDB_NOTFOUND { try CrosstieError.check(result, "remove") }
    }

    func removeEverything() throws(CrosstieError) {
        try CrosstieError.check(mdb_drop(raw, store.database, 0), "remove everything")
    }

    func scan(from start: UnsafeRawBufferPointer, _ body: Scan) throws(CrosstieError) {
        try scan(store.database, from: start, body)
    }

    func last() throws(CrosstieError) -> (key: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer)? {
        let cursor = try openCursor(store.database)
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var data = MDB_val()
        let result = mdb_cursor_get(cursor, &key, &data, MDB_LAST)
        if result == MDB_NOTFOUND { return nil }
        try CrosstieError.check(result, "read the last record")
        return (UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(data))
    }

    private func openCursor(_ database: MDB_dbi) throws(CrosstieError) -> OpaquePointer? {
        var cursor: OpaquePointer?
        try CrosstieError.check(mdb_cursor_open(raw, database, &cursor), "open a cursor")
        return cursor
    }

    private func scan(
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
    fileprivate func freePages(since number: UInt64) throws(CrosstieError) -> UInt64 {
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

extension LMDBStore {
    @inline(__always)
    func beginReading() throws(CrosstieError) -> any RecordTransaction { try beginReadingPages() }

    private func beginReadingPages() throws(CrosstieError) -> LMDBTransaction {
        while true {
            let before = (environment, mapSize)
            try gate.enterReading()
            do throws(CrosstieError) {
                if let transaction = try beginReadingOnce() { return transaction }
            } catch {
                gate.leaveReading()
                throw error
            }
            gate.leaveReading()
            // Another thread may have adopted the size, or other files.
            guard before == (environment, mapSize) else { continue }
            guard wakeups.storeSize != mapSize else {
                throw CrosstieError(.corruptData, "the store is larger than the bells tell")
            }
            try adoptSize()
        }
    }

    /// LMDB notes the number of the newest state and then copies what is known of it, from one of two places that
    /// commits use by turns. Whoever is stopped in between for two commits reads a newer state than its number tells,
    /// and would be told of its messages twice. Nil if the store has outgrown the map. The gate is entered.
    private func beginReadingOnce() throws(CrosstieError) -> LMDBTransaction? {
        for _ in 0..<1000 {
            guard let transaction = try beginReadingOnceMore() else { return nil }
            if newestState <= transaction.number &+ 1 { return transaction }
            mdb_txn_reset(transaction.raw)
            giveIdleReader(transaction)
        }
        throw CrosstieError(.busy, "the store changes too fast to be read")
    }

    var newestState: UInt64 {
        var info = MDB_envinfo()
        mdb_env_info(environment, &info)
        return UInt64(bitPattern: Int64(info.me_last_txnid))
    }

    private func beginReadingOnceMore() throws(CrosstieError) -> LMDBTransaction? {
        if let idle = takeIdleReader() {
            let result = mdb_txn_renew(idle.raw)
            if result == 0 { return idle }
            mdb_txn_abort(idle.raw)
            if result == MDB_MAP_RESIZED { return nil }
        }
        var made: OpaquePointer?
        let result = begin(UInt32(MDB_RDONLY), &made)
        if result == MDB_MAP_RESIZED { return nil }
        return LMDBTransaction(try LMDBStore.begun(made, result), self, isWriting: false)
    }

    func beginWriting() throws(CrosstieError) -> any RecordTransaction {
        try adoptSize()
        // A fast store is written through its map, which no limit of files holds for.
        if !isFast { try DiskSpace.require(mapSize, for: "data.mdb") }
        try gate.enterWriting()
        do throws(CrosstieError) {
            return try beginWritingPages()
        } catch {
            gate.leaveWriting()
            throw error
        }
    }

    @inline(__always)
    private func beginWritingPages() throws(CrosstieError) -> LMDBTransaction {
        var made: OpaquePointer?
        let result = begin(0, &made)
        let raw = try LMDBStore.begun(made, result)
        // One writes at a time, and has ended before the next one begins.
        if let writer {
            writer.raw = raw
            return writer
        }
        let fresh = LMDBTransaction(raw, self, isWriting: true)
        writer = fresh
        return fresh
    }

    /// Gives up the readers' places in LMDB's table.
    func endIdleReaders() {
        while let idle = takeIdleReader() { mdb_txn_abort(idle.raw) }
    }

    /// Pages that earlier transactions gave back. The writers' lock is held, and no transaction of this thread is open.
    /// - Parameter number: of the first transaction that counts.
    func freePages(since number: UInt64 = 0) throws(CrosstieError) -> UInt64 {
        let transaction = try beginReadingPages()
        defer { transaction.end() }
        return try transaction.freePages(since: number)
    }

    @inline(__always)
    private func begin(_ flags: UInt32, _ made: inout OpaquePointer?) -> Int32 {
        let result = mdb_txn_begin(environment, nil, flags, &made)
        guard result == MDB_READERS_FULL else { return result }
        clearDeadReadersInside()
        return mdb_txn_begin(environment, nil, flags, &made)
    }

    @inline(__always)
    private static func begun(_ made: OpaquePointer?, _ result: Int32) throws(CrosstieError) -> OpaquePointer {
        try CrosstieError.check(result, "begin a transaction")
        guard let made else { throw CrosstieError(.outOfMemory, "no transaction") }
        return made
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
