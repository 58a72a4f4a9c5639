internal import CLMDB
internal import Glibc

/// A walk through the records of a store that is being built.
final class StoreWalk {
    private var cursor: OpaquePointer?
    private var hasBegun = false

    init(_ transaction: OpaquePointer?, _ database: MDB_dbi) throws(CrosstieError) {
        try CrosstieError.check(mdb_cursor_open(transaction, database, &cursor), "open a cursor")
    }

    deinit { close() }

    func close() {
        if let cursor { mdb_cursor_close(cursor) }
        cursor = nil
    }

    func next() throws(CrosstieError) -> (key: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer)? {
        var (key, data) = (MDB_val(), MDB_val())
        let result = mdb_cursor_get(cursor, &key, &data, hasBegun ? MDB_NEXT : MDB_FIRST)
        hasBegun = true
        if result == MDB_NOTFOUND { return nil }
        try CrosstieError.check(result, "scan")
        return (UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(data))
    }
}
