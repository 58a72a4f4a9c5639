internal import CPlatform
internal import Glibc

/// LMDB commits in two steps: it writes one of the two first pages of the file, by turns, and then a number in
/// `lock.mdb`, from which readers learn of it. If the writer dies in between, no reader has seen the commit, but the
/// next writer would take it for complete. In a writable map it may be incomplete: the compiler has LMDB store the
/// number of the page before the last of its other fields, and a process can be killed after any instruction.
extension LMDBStore {
    /// Takes back a commit whose writer died before announcing it.
    func withdrawUnannounced() {
        guard let snapshot = try? beginReading() else { return }
        let announced = snapshot.number
        snapshot.end()
        guard let file = try? descriptor() else { return }
        FirstPages(file: file, pageSize: pageSize).withdraw(after: announced)
    }

    /// The same in a store that no process has open, before it is opened: LMDB would begin with the newest page.
    static func withdrawUnannounced(in directory: borrowing GroupDirectory) throws(CrosstieError) {
        guard try directory.size(of: GroupDirectory.lockName) != nil,
            try directory.size(of: GroupDirectory.dataName) != nil
        else { return }
        let locks = cp_open_file(directory.descriptor, GroupDirectory.lockName)
        guard locks >= 0 else { throw .system("open lock.mdb", errno) }
        defer { Glibc.close(locks) }
        let data = cp_open_file(directory.descriptor, GroupDirectory.dataName)
        guard data >= 0 else { throw .system("open data.mdb", errno) }
        defer { Glibc.close(data) }
        guard let announced = FirstPages.word(locks, at: announcedOffset), announced > 0 else { return }
        FirstPages(file: data)?.withdraw(after: announced)
    }

    /// The offset of the number in `lock.mdb`, after a magic number, the format and a mutex, whose size depends on the
    /// architecture.
    private static var announcedOffset: UInt64 { 8 &+ UInt64(MemoryLayout<pthread_mutex_t>.size) }
}
