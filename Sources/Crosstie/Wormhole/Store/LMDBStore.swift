internal import CLMDB
internal import Glibc
import Synchronization

/// Records kept by LMDB in a group's directory. One environment for each directory in a process.
final class LMDBStore: RecordStore {
    let environment: OpaquePointer
    /// The one, unnamed database.
    let database: MDB_dbi
    let pageSize: UInt64
    let bells: Bells
    /// Whether commits are synced to the disk.
    let isSystem: Bool
    /// Bytes to which it may grow.
    let largestSize: UInt64
    /// Bytes that this process has mapped. Changed while the gate is closed.
    private let mappedSize: Atomic<UInt64>
    var mapSize: UInt64 {
        get { mappedSize.load(ordering: .relaxed) }
        set { mappedSize.store(newValue, ordering: .relaxed) }
    }
    let gate = MapGate()
    /// Read transactions at rest, which keep their place in LMDB's table of readers.
    private let idleLock = Lock()
    private var idle: [LMDBTransaction] = []
    /// The transaction that writes, or wrote last. Guarded by the writers' lock.
    var writer: LMDBTransaction?

    static var dataName: String { "data.mdb" }
    static var lockName: String { "lock.mdb" }
    /// Room for about a thousand readers.
    static var lockSize: Int { 64 << 10 }

    /// Opens the environment, which makes `data.mdb` if it is not there. `lock.mdb` must be. Nobody may change the
    /// size of the store meanwhile.
    init(path: String, bells: Bells) throws(CrosstieError) {
        self.bells = bells
        isSystem = bells.flags & StoreFlags.system != 0
        let mapSize = bells.storeSize
        mappedSize = Atomic(mapSize)
        largestSize = bells.limits.mapSize
        environment = try LMDBStore.openEnvironment(path, mapSize: mapSize, bells.flags)
        do throws(CrosstieError) {
            var (form, info) = (MDB_stat(), MDB_envinfo())
            database = try LMDBStore.openDatabase(environment)
            try CrosstieError.check(mdb_env_stat(environment, &form), "read the store's form")
            pageSize = UInt64(max(form.ms_psize, 1))
            mdb_env_info(environment, &info)
            guard info.me_mapsize == Int(clamping: mapSize) else {
                throw CrosstieError(.corrupt, "the store is larger than the bells tell")
            }
        } catch {
            mdb_env_close(environment)
            throw error
        }
    }

    /// Takes the pages from the disk, so that no later write into the map can fail for want of them.
    func allocate() throws(CrosstieError) {
        let failure = DiskSpace.take(try descriptor(), from: 0, to: mapSize)
        guard failure == 0 else { throw .system("allocate data.mdb", failure) }
    }

    /// Of the file `data.mdb`.
    func descriptor() throws(CrosstieError) -> Int32 {
        var file: Int32 = -1
        try CrosstieError.check(mdb_env_get_fd(environment, &file), "find data.mdb")
        return file
    }

    func sync() throws(CrosstieError) {
        try CrosstieError.check(mdb_env_sync(environment, 1), "sync the store")
    }

    /// Closes the environment. No transaction may be open.
    func close() {
        endIdleReaders()
        writer = nil
        // LMDB would give back what it takes for its map, and what lies there may be somebody else's by now.
        if gate.hasMap { mdb_env_close(environment) }
        idleLock.free()
        gate.free()
    }

    func takeIdleReader() -> LMDBTransaction? { idleLock.with { idle.popLast() } }

    func giveIdleReader(_ transaction: LMDBTransaction) { idleLock.with { idle.append(transaction) } }

    /// Frees what dead readers hold of the store.
    func clearDeadReaders() {
        var count: Int32 = 0
        mdb_reader_check(environment, &count)
    }

    private static func openEnvironment(
        _ path: String, mapSize: UInt64, _ flags: UInt32
    ) throws(CrosstieError) -> OpaquePointer {
        var made: OpaquePointer?
        try CrosstieError.check(mdb_env_create(&made), "make an environment")
        guard let environment = made else { throw CrosstieError(.noMemory, "no environment") }
        mdb_env_set_mapsize(environment, Int(clamping: mapSize))
        // Without MDB_NOSYNC a commit returns when it is on the disk; MDB_NOMETASYNC could lose the last one.
        let sync = flags & StoreFlags.system == 0 ? MDB_NOSYNC : 0
        let mode = MDB_NOTLS | sync | (flags & StoreFlags.fast == 0 ? 0 : MDB_WRITEMAP)
        let result = mdb_env_open(environment, path, UInt32(mode), 0o600)
        guard result == 0 else {
            mdb_env_close(environment)
            throw CrosstieError.store(result, "open the store")
        }
        return environment
    }

    private static func openDatabase(_ environment: OpaquePointer) throws(CrosstieError) -> MDB_dbi {
        var made: OpaquePointer?
        try CrosstieError.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &made), "begin reading")
        var database: MDB_dbi = 0
        let result = mdb_dbi_open(made, nil, 0, &database)
        // Committed, not aborted: an aborted transaction would take the handle along.
        mdb_txn_commit(made)
        try CrosstieError.check(result, "open the database")
        return database
    }
}

extension CrosstieError {
    static func check(_ result: Int32, _ what: String) throws(CrosstieError) {
        guard result == 0 else { throw store(result, what) }
    }

    /// What a number of LMDB's means: its own are negative, those of the system positive.
    static func store(_ result: Int32, _ what: String) -> CrosstieError {
        let status: Status =
            switch result {
            case MDB_MAP_FULL, MDB_TXN_FULL, ENOSPC, EDQUOT: .noSpace
            case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_PANIC, MDB_INVALID: .corrupt
            case MDB_VERSION_MISMATCH: .version
            case MDB_READERS_FULL: .busy
            case ENOMEM: .noMemory
            default: .system
            }
        return CrosstieError(status, "\(what): \(String(cString: mdb_strerror(result)))")
    }
}
