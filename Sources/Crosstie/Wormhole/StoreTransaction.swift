internal import CLMDB

/// A transaction on the store. What it reads lives until it ends.
struct StoreTransaction: ~Copyable {
    fileprivate let raw: OpaquePointer
    fileprivate let store: Store
    private let isWriting: Bool
    private var isOver = false

    fileprivate init(_ raw: OpaquePointer, _ store: Store, isWriting: Bool) {
        self.raw = raw
        self.store = store
        self.isWriting = isWriting
    }

    deinit {
        if isOver { return }
        if isWriting {
            mdb_txn_abort(raw)
        } else {
            mdb_txn_reset(raw)
            store.giveIdleReader(raw)
        }
    }

    /// The number of the state that is read, or of the change that is written. LMDB numbers its transactions
    /// without a gap; the first one made the store.
    @inline(__always)
    var sequence: UInt64 { UInt64(mdb_txn_id(raw)) &- 1 }

    /// Makes what was written the current state; the transaction has ended, also when this fails.
    mutating func commit() throws(CrosstieError) {
        isOver = true
        try CrosstieError.check(mdb_txn_commit(raw), "commit")
    }

    /// The bytes under a key; nil if there are none.
    @inline(__always)
    func get(_ key: UnsafeMutableRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        var key = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
        var data = MDB_val()
        let result = mdb_get(raw, store.database, &key, &data)
        if result == MDB_NOTFOUND { return nil }
        try CrosstieError.check(result, "read")
        return UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)
    }

    /// Makes room under a key, to be filled before anything else is done.
    @inline(__always)
    func reserve(_ key: UnsafeMutableRawBufferPointer, size: Int) throws(CrosstieError) -> UnsafeMutableRawBufferPointer
    {
        var key = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
        var data = MDB_val(mv_size: size, mv_data: nil)
        try CrosstieError.check(mdb_put(raw, store.database, &key, &data, UInt32(MDB_RESERVE)), "write")
        return UnsafeMutableRawBufferPointer(start: data.mv_data, count: size)
    }

    /// Removes what is under a key, if there is something.
    func remove(_ key: UnsafeMutableRawBufferPointer) throws(CrosstieError) {
        var key = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
        let result = mdb_del(raw, store.database, &key, nil)
        if result != MDB_NOTFOUND { try CrosstieError.check(result, "remove") }
    }

    func removeEverything() throws(CrosstieError) {
        try CrosstieError.check(mdb_drop(raw, store.database, 0), "remove everything")
    }

    /// Calls `body` with each key from one on and what is under it, until it answers false.
    func scan(
        from start: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CrosstieError) -> Bool
    ) throws(CrosstieError) {
        try StoreTransaction.scan(raw, store.database, from: start, body)
    }

    func meta() throws(CrosstieError) -> StoreMeta {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let bytes = try StoreKey.with(StoreKey.meta, none) { key throws(CrosstieError) in try get(key) }
        guard let bytes else { throw CrosstieError(.corrupt, "the store has no counts") }
        return try StoreMeta(bytes)
    }

    /// Changes the group's counts.
    func edit(_ body: (inout StoreMeta) throws(CrosstieError) -> Void) throws(CrosstieError) {
        var meta = try meta()
        try body(&meta)
        try put(meta)
    }

    func put(_ meta: StoreMeta) throws(CrosstieError) {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let room = try StoreKey.with(StoreKey.meta, none) { key throws(CrosstieError) in
            try reserve(key, size: StoreMeta.size)
        }
        meta.write(into: room)
    }

    fileprivate static func scan(
        _ transaction: OpaquePointer, _ database: MDB_dbi, from start: UnsafeMutableRawBufferPointer?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CrosstieError) -> Bool
    ) throws(CrosstieError) {
        var cursor: OpaquePointer?
        try CrosstieError.check(mdb_cursor_open(transaction, database, &cursor), "open a cursor")
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val(mv_size: start?.count ?? 0, mv_data: start?.baseAddress)
        var data = MDB_val()
        var result = mdb_cursor_get(cursor, &key, &data, start == nil ? MDB_FIRST : MDB_SET_RANGE)
        while result == 0 {
            let found = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
            guard try body(found, UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)) else { return }
            result = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)
        }
        if result != MDB_NOTFOUND { try CrosstieError.check(result, "scan") }
    }
}

extension Store {
    /// Begins a transaction that reads one state of the store, whatever is written meanwhile.
    @inline(__always)
    func beginReading() throws(CrosstieError) -> StoreTransaction {
        if let idle = takeIdleReader() {
            let result = mdb_txn_renew(idle)
            if result == 0 { return StoreTransaction(idle, self, isWriting: false) }
            mdb_txn_abort(idle)
        }
        return StoreTransaction(try begin(UInt32(MDB_RDONLY)), self, isWriting: false)
    }

    /// Begins a transaction that writes. The writer's lock of the bells is held.
    @inline(__always)
    func beginWriting() throws(CrosstieError) -> StoreTransaction {
        StoreTransaction(try begin(0), self, isWriting: true)
    }

    /// Pages that earlier transactions gave back. The writer's lock of the bells is held.
    func freePages() throws(CrosstieError) -> UInt64 {
        let transaction = try beginReading()
        var pages: UInt64 = 0
        // Database 0 is LMDB's own list: under each transaction's number, how many pages, then which.
        try StoreTransaction.scan(transaction.raw, 0, from: nil) { _, entry throws(CrosstieError) in
            if entry.count >= 8 { pages &+= UInt64(entry.loadUnaligned(as: UInt.self)) }
            return true
        }
        return pages
    }

    private func begin(_ flags: UInt32) throws(CrosstieError) -> OpaquePointer {
        var made: OpaquePointer?
        var result = mdb_txn_begin(environment, nil, flags, &made)
        if result == MDB_READERS_FULL {
            clearDeadReaders()
            result = mdb_txn_begin(environment, nil, flags, &made)
        }
        try CrosstieError.check(result, "begin a transaction")
        guard let made else { throw CrosstieError(.noMemory, "no transaction") }
        return made
    }
}
