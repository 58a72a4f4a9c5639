internal import CLMDB
internal import Glibc
import Synchronization

/// Records kept by LMDB in a group's directory. One environment for each directory in a process.
final class LMDBStore: RecordStore {
    /// Changes when the group moves to other files. Read with the gate entered, or the writers' lock held.
    let opened: Atomic<OpaquePointer>
    @inline(__always)
    var environment: OpaquePointer { opened.load(ordering: .relaxed) }
    /// The one, unnamed database.
    let database: MDB_dbi
    let pageSize: UInt64
    let currentWakeups: CurrentWakeups
    @inline(__always)
    var wakeups: Wakeups { currentWakeups.wakeups }
    /// Of ``StoreFlags``, and bytes to which it may grow.
    let flags: Atomic<UInt32>
    let largest: Atomic<UInt64>
    /// Under which number LMDB knows this process. Another one in other files.
    let reader: Atomic<Int32>
    var readerNumber: Int32 { reader.load(ordering: .relaxed) }
    /// Whether commits are synced to the disk.
    var isSystem: Bool { flags.load(ordering: .relaxed) & StoreFlags.system != 0 }
    /// Whether every process writes into the map itself.
    var isFast: Bool { flags.load(ordering: .relaxed) & StoreFlags.fast != 0 }
    var largestSize: UInt64 { largest.load(ordering: .relaxed) }
    /// Bytes that this process has mapped. Changed while the gate is closed.
    private let mappedSize: Atomic<UInt64>
    var mapSize: UInt64 {
        get { mappedSize.load(ordering: .relaxed) }
        set { mappedSize.store(newValue, ordering: .relaxed) }
    }
    let gate = MapGate()
    /// Read transactions at rest, which keep their slots in LMDB's table of readers.
    private let idleLock = Lock()
    private var idle: [LMDBTransaction] = []
    /// The transaction that writes, or wrote last. Guarded by the writers' lock.
    var writer: LMDBTransaction?

    static var nameWhileMade: String { "data.new" }
    /// Room for about a thousand readers.
    static var lockSize: Int { 64 << 10 }

    /// Opens the environment, and creates `data.mdb` if it is missing. `lock.mdb` must exist. The size of the store
    /// must not change meanwhile.
    init(path: String, wakeups currentWakeups: CurrentWakeups) throws(CrosstieError) {
        self.currentWakeups = currentWakeups
        let wakeups = currentWakeups.wakeups
        flags = Atomic(wakeups.flags)
        let mapSize = wakeups.storeSize
        mappedSize = Atomic(mapSize)
        largest = Atomic(wakeups.limits.mapSize)
        let (environment, number) = try LMDBStore.openEnvironment(path, mapSize: mapSize, wakeups)
        opened = Atomic(environment)
        reader = Atomic(number)
        do throws(CrosstieError) {
            var form = MDB_stat()
            database = try LMDBStore.openDatabase(environment)
            try CrosstieError.check(mdb_env_stat(environment, &form), "read the store's form")
            pageSize = UInt64(max(form.ms_psize, 1))
            try LMDBStore.require(mapSize, of: environment)
        } catch {
            mdb_env_close(environment)
            throw error
        }
    }

    /// Allocates the pages on the disk, so that no later write into the map can fail for lack of space.
    func allocate() throws(CrosstieError) {
        GroupDirectory.keepFromCleaners(try descriptor())
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
        // LMDB would unmap what it takes for its map, and other code may have mapped that memory by now.
        if gate.hasMap { mdb_env_close(environment) }
        idleLock.free()
        gate.free()
    }

    func takeIdleReader() -> LMDBTransaction? { idleLock.with { idle.popLast() } }

    func giveIdleReader(_ transaction: LMDBTransaction) { idleLock.with { idle.append(transaction) } }

    /// Frees what dead readers hold of the store.
    func clearDeadReaders() {
        guard (try? gate.enterReading()) != nil else { return }
        clearDeadReadersInside()
        gate.leaveReading()
    }

    /// The same with the gate entered.
    func clearDeadReadersInside() {
        var count: Int32 = 0
        mdb_reader_check(environment, &count)
    }

    static func require(_ mapSize: UInt64, of environment: OpaquePointer) throws(CrosstieError) {
        var info = MDB_envinfo()
        mdb_env_info(environment, &info)
        guard info.me_mapsize == Int(clamping: mapSize) else {
            throw CrosstieError(.corruptData, "the store is larger than \(GroupDirectory.wakeupsName) states")
        }
    }

    static func openEnvironment(
        _ path: String, mapSize: UInt64, _ wakeups: Wakeups
    ) throws(CrosstieError) -> (OpaquePointer, Int32) {
        var made: OpaquePointer?
        try CrosstieError.check(mdb_env_create(&made), "make an environment")
        guard let environment = made else { throw CrosstieError(.outOfMemory, "no environment") }
        let isKnown = ReaderNumber.isKnown(environment)
        let flags = wakeups.flags
        mdb_env_set_mapsize(environment, Int(clamping: mapSize))
        // Without MDB_NOSYNC a commit returns when it is on the disk; MDB_NOMETASYNC could lose the last one.
        let sync = flags & StoreFlags.system == 0 ? MDB_NOSYNC : 0
        let mode = MDB_NOTLS | sync | (flags & StoreFlags.fast == 0 ? 0 : MDB_WRITEMAP)
        let result = mdb_env_open(environment, path, UInt32(mode), 0o600)
        guard result == 0 else {
            mdb_env_close(environment)
            throw CrosstieError.store(result, "open the store")
        }
        do throws(CrosstieError) {
            return (environment, try ReaderNumber.assign(to: environment, wakeups, isKnown: isKnown))
        } catch {
            mdb_env_close(environment)
            throw error
        }
    }

    static func openDatabase(_ environment: OpaquePointer) throws(CrosstieError) -> MDB_dbi {
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

    /// The meaning of a number of LMDB's: its own are negative, those of the system positive.
    static func store(_ result: Int32, _ what: String) -> CrosstieError {
        let status: Status =
            switch result {
            case MDB_MAP_FULL, MDB_TXN_FULL, ENOSPC, EDQUOT: .noSpace
            case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_PANIC, MDB_INVALID: .corruptData
            case MDB_VERSION_MISMATCH: .incompatibleVersion
            case MDB_READERS_FULL: .busy
            case ENOMEM: .outOfMemory
            default: .systemFailure
            }
        return CrosstieError(status, "\(what): \(String(cString: mdb_strerror(result)))")
    }
}
