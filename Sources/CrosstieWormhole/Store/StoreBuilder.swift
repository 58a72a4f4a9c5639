internal import CLMDB
internal import CPlatform
internal import Glibc

/// A new file of a store, in which every page is full and none is free. It gets the number that the old one's last
/// transaction has, so that sequence numbers go on, and those of durable consumers stay their own.
final class StoreBuilder {
    private var environment: OpaquePointer?
    private var database: MDB_dbi = 0
    private var transaction: OpaquePointer?
    /// Bytes since the last commit.
    private var pending = 0
    private let file: Int32
    private let pageSize: Int
    private(set) var usedSize: UInt64 = 0

    static var name: String { LMDBStore.nameWhileMade }
    private static var commitSize: Int { 8 << 20 }

    /// The lock on opening is held.
    /// - Parameter largestSize: bytes to which it may grow.
    /// - Throws: `busy` while another process builds one there.
    init(in directory: borrowing GroupDirectory, largestSize: UInt64) throws(CrosstieError) {
        guard !StoreBuilder.isInUse(in: directory) else {
            throw CrosstieError(.busy, "the store is being copied already", at: directory.path)
        }
        unlinkat(directory.descriptor, StoreBuilder.name, 0)
        file = cp_create_file(directory.descriptor, StoreBuilder.name)
        guard file >= 0 else { throw .system("create \(StoreBuilder.name)", errno) }
        _ = flock(file, LOCK_EX | LOCK_NB)
        GroupDirectory.keepFromCleaners(file)
        pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        try CrosstieError.check(mdb_env_create(&environment), "make an environment")
        mdb_env_set_mapsize(environment, Int(clamping: largestSize))
        // No other process knows it.
        let mode = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | MDB_NOTLS
        let path = directory.stablePath + "/" + StoreBuilder.name
        try CrosstieError.check(mdb_env_open(environment, path, UInt32(mode), 0o600), "open \(StoreBuilder.name)")
        try begin()
        try CrosstieError.check(mdb_dbi_open(transaction, nil, 0, &database), "open the database")
    }

    deinit {
        if let transaction { mdb_txn_abort(transaction) }
        if let environment { mdb_env_close(environment) }
        guard file >= 0 else { return }
        // Said in so many words: a child that was forked meanwhile has the lock too, and would keep it.
        _ = flock(file, LOCK_UN)
        Glibc.close(file)
    }

    /// Whether a process is building one there: the builder holds a lock on it.
    static func isInUse(in directory: borrowing GroupDirectory) -> Bool {
        let file = cp_open_file(directory.descriptor, name)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Whether its name leads to it. The lock on opening is held.
    func isThere(in directory: borrowing GroupDirectory) -> Bool {
        FileIdentity(file) == FileIdentity(in: directory.descriptor, StoreBuilder.name)
    }

    /// Removes it, if it is there.
    func withdraw(in directory: borrowing GroupDirectory) {
        if isThere(in: directory) { unlinkat(directory.descriptor, StoreBuilder.name, 0) }
    }

    private func begin() throws(CrosstieError) {
        try CrosstieError.check(mdb_txn_begin(environment, nil, 0, &transaction), "begin a transaction")
    }

    private func commit() throws(CrosstieError) {
        let ended = transaction
        transaction = nil
        pending = 0
        try CrosstieError.check(mdb_txn_commit(ended), "commit")
    }

    /// Adds a record.
    /// - Parameter isLast: its key comes after all that are there; otherwise that is a *invalidFormat* error.
    func put(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer, isLast: Bool) throws(CrosstieError) {
        var (key, data) = (MDB_val(key), MDB_val(record))
        let result = mdb_put(transaction, database, &key, &data, isLast ? UInt32(MDB_APPEND) : 0)
        if result == MDB_KEYEXIST { throw CrosstieError(.invalidFormat, "a record is out of order") }
        try CrosstieError.check(result, "write")
        pending += record.count + 64
        guard pending > StoreBuilder.commitSize else { return }
        try commit()
        try begin()
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CrosstieError) {
        var key = MDB_val(key)
        let result = mdb_del(transaction, database, &key, nil)
        if result != MDB_NOTFOUND { try CrosstieError.check(result, "remove") }
    }

    /// Shows `body` all records, in the order of their keys.
    func scan(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        let walk = try StoreWalk(transaction, database)
        while let (key, record) = try walk.next() { try body(key, record) }
    }

    /// Makes its records those that a state of a store has: removes and adds only what differs.
    func follow(_ snapshot: borrowing StoreTransaction) throws(CrosstieError) {
        var removed: [[UInt8]] = []
        var changed: [(key: [UInt8], record: [UInt8])] = []
        let own = try StoreWalk(transaction, database)
        var mine = try own.next()
        try [0].withBytes { first throws(CrosstieError) in
            try snapshot.records.scan(from: first) { key, record throws(CrosstieError) in
                while let there = mine, KeyOrder.compare(there.key, key) < 0 {
                    removed.append(Array(there.key))
                    mine = try own.next()
                }
                let isThere = mine.map { KeyOrder.compare($0.key, key) == 0 } ?? false
                if !isThere || !(mine.map { equalBytes($0.record, record) } ?? false) {
                    changed.append((Array(key), Array(record)))
                }
                if isThere { mine = try own.next() }
                return .next
            }
        }
        while let there = mine {
            removed.append(Array(there.key))
            mine = try own.next()
        }
        own.close()
        for key in removed { try key.withBytes { key throws(CrosstieError) in try remove(key) } }
        for (key, record) in changed {
            try key.withBytes { key throws(CrosstieError) in
                try record.withBytes { record throws(CrosstieError) in try put(key, record, isLast: false) }
            }
        }
    }

    /// Has what there is so far on the disk.
    func sync() throws(CrosstieError) {
        try commit()
        try CrosstieError.check(mdb_env_sync(environment, 1), "sync the store")
        try begin()
    }

    /// Ends it: all of it is on the disk, under the number of a transaction, and room is left for as much as a change
    /// needs at least. Gives the bytes that are in use.
    func finish(number: UInt64, isSynced: Bool = true) throws(CrosstieError) -> UInt64 {
        try commit()
        if isSynced { try CrosstieError.check(mdb_env_sync(environment, 1), "sync the store") }
        var info = MDB_envinfo()
        mdb_env_info(environment, &info)
        usedSize = UInt64(clamping: (info.me_last_pgno + 1) &* pageSize)
        mdb_env_close(environment)
        environment = nil
        try setNumber(max(number, 1))
        guard !isSynced || fsync(file) == 0 else { throw .system("sync \(StoreBuilder.name)", errno) }
        return usedSize
    }

    /// The size that a store should have for so many bytes in use: a quarter more, so that it need not grow at once.
    static func goodSize(for used: UInt64, atMost largest: UInt64) -> UInt64 {
        min(max(WormholeOptions.roundedUp(used &+ used / 4 &+ 512 << 10), 1 << 20), largest)
    }

    /// Has the file have a size, on the disk or only by its length.
    func setSize(_ size: UInt64, allocated: UInt64) throws(CrosstieError) {
        let failure = DiskSpace.take(file, from: 0, to: allocated)
        guard failure == 0 else { throw .system("allocate \(StoreBuilder.name)", failure) }
        guard ftruncate(file, Int(clamping: size)) == 0 else { throw .system("resize \(StoreBuilder.name)", errno) }
    }

    /// The file's inode.
    var identity: UInt64 { FileIdentity(file)?.number ?? 0 }

    /// Writes the number of the last transaction into both of the first pages, which then describe the same state: LMDB
    /// takes the page that the number selects.
    private func setNumber(_ number: UInt64) throws(CrosstieError) {
        let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * pageSize, alignment: 8)
        defer { pages.deallocate() }
        guard try PageFile.read(file, at: 0, into: pages) else { throw .damaged(0, "is outside the file") }
        func commit(_ page: Int) -> UInt64 {
            pages.loadUnaligned(fromByteOffset: page * pageSize + PageLayout.commitOffset, as: UInt64.self)
        }
        let newest = commit(0) < commit(1) ? 1 : 0
        let source = UnsafeRawBufferPointer(rebasing: pages[newest * pageSize..<(newest + 1) * pageSize])
        for page in 0..<2 {
            var bytes = Array(source)
            let stated = number & 1 == UInt64(page) ? number : number &- 1
            bytes.withUnsafeMutableBytes { bytes in
                bytes.storeBytes(of: UInt64(page), as: UInt64.self)
                bytes.storeBytes(of: stated, toByteOffset: PageLayout.commitOffset, as: UInt64.self)
                // LMDB keeps some of an environment's flags there, such as that it was opened as a file.
                let flags = PageLayout.freeTreeOffset + PageLayout.treeFlagsOffset
                bytes.storeBytes(of: PageLayout.hasIntegerKeys, toByteOffset: flags, as: UInt16.self)
            }
            guard pwrite(file, bytes, bytes.count, page * pageSize) == bytes.count else {
                throw .system("write \(StoreBuilder.name)", errno)
            }
        }
    }
}
