internal import Glibc

extension GroupDirectory {
    private static var lockNameWhileMade: String { "lock.new" }

    /// Makes an empty `lock.mdb`. The file gets its name when it has its full size: a process that is killed in between
    /// must not leave one that others refuse.
    func createLocks() throws(CrosstieError) {
        Glibc.close(try create(GroupDirectory.lockNameWhileMade, size: LMDBStore.lockSize))
        guard renameat(descriptor, GroupDirectory.lockNameWhileMade, descriptor, GroupDirectory.lockName) == 0 else {
            throw .system("rename lock.mdb", errno)
        }
    }
}
