internal import CLMDB
internal import CPlatform
internal import Glibc

/// The number under which LMDB enters this process in its table of readers, and locks a byte of `lock.mdb`.
///
/// LMDB takes the process's own number. In two PID namespaces, such as two containers whose application is process 1, those
/// can be the same: then the second could not read at all, and closing one would free what the other reads. So each
/// process that has a group open takes a number that no other one has, by a lock on a byte of `wakeups`.
enum ReaderNumber {
    /// Above every number of a process: the kernel's own limit is 2^22 (proc_sys_kernel(5)).
    private static var first: Int32 { 1 << 30 }
    private static var count: Int32 { 4096 }
    /// The offset of `me_pid` in LMDB's `MDB_env`, which is checked by its surroundings in a fresh one: three
    /// descriptors of -1 at the beginning, and the default number of readers. Every 0.9 has it there (`mdb.c`).
    private static var offset: Int { 40 }
    private static var readersOffset: Int { 24 }
    private static var defaultReaders: UInt32 { 126 }

    /// Gives an environment that was just opened, and has not been read, a number of its own. `isKnown` is what
    /// ``isKnown(_:)`` said before. Without a file only this process reads; and an LMDB that looks different keeps the
    /// process's number. Gives the number.
    static func assign(to environment: OpaquePointer, _ wakeups: Wakeups, isKnown: Bool) throws(CrosstieError) -> Int32
    {
        guard wakeups.hasFile, isKnown else { return getpid() }
        for index in 0..<count where cp_lock_byte(wakeups.file, Int64(WakeupsLayout.readersOffset) + Int64(index), true)
        {
            // The last process with this number may have died while it read. Free its pages now: once this process has
            // the number, it looks alive.
            mdb_reader_check(environment, nil)
            UnsafeMutableRawPointer(environment).storeBytes(of: first + index, toByteOffset: offset, as: Int32.self)
            return first + index
        }
        throw CrosstieError(.limitExceeded, "\(count) processes have the group open")
    }

    /// Whether an environment that was made and not opened is of the known form.
    static func isKnown(_ environment: OpaquePointer) -> Bool {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        let start = UnsafeRawPointer(environment)
        let descriptors = (0..<3).map { start.load(fromByteOffset: 4 * $0, as: Int32.self) }
        return (major, minor) == (0, 9) && descriptors == [-1, -1, -1]
            && start.load(fromByteOffset: readersOffset, as: UInt32.self) == defaultReaders
            && start.load(fromByteOffset: offset, as: Int32.self) == getpid()
    }
}
