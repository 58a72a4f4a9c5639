internal import CLMDB
internal import CPlatform
internal import Glibc

/// LMDB commits in two steps: it writes one of the two first pages of the file, by turns, and then a number in
/// `lock.mdb`, from which readers learn of it. If the writer dies in between, nobody has seen the commit, but the next
/// writer would take it for whole. In a writable map it may not be: the compiler has LMDB store the number of the page
/// before the last of what it stands for, and a process can be killed after any instruction.
extension LMDBStore {
    /// Takes back a commit whose writer died before announcing it.
    func withdrawUnannounced() {
        guard let snapshot = try? beginReading() else { return }
        let announced = snapshot.number
        snapshot.end()
        guard let file = try? descriptor() else { return }
        FirstPages(file: file, pageSize: pageSize).withdraw(after: announced)
    }

    /// The same in a store that nobody has open, before it is opened: LMDB would begin with the newest page.
    static func withdrawUnannounced(in directory: borrowing GroupDirectory) throws(CrosstieError) {
        guard try directory.size(of: lockName) != nil, try directory.size(of: dataName) != nil else { return }
        let locks = cp_open_file(directory.descriptor, lockName)
        guard locks >= 0 else { throw .system("open lock.mdb", errno) }
        defer { Glibc.close(locks) }
        let data = cp_open_file(directory.descriptor, dataName)
        guard data >= 0 else { throw .system("open data.mdb", errno) }
        defer { Glibc.close(data) }
        guard let announced = FirstPages.word(locks, at: announcedOffset), announced > 0 else { return }
        FirstPages(file: data, pageSize: UInt64(sysconf(Int32(_SC_PAGESIZE)))).withdraw(after: announced)
    }

    /// Where the number stands in `lock.mdb`, after a magic number, the format and a mutex.
    private static var announcedOffset: UInt64 { 48 }
}

/// The two pages at the beginning of `data.mdb`, each with the number of the commit that wrote it.
private struct FirstPages {
    let file: Int32
    let pageSize: UInt64

    /// Behind the header of the page, 16 bytes, and 128 bytes of what the commit has stored.
    private static var numberOffset: UInt64 { 144 }

    private func offset(of commit: UInt64) -> UInt64 { (commit & 1) &* pageSize &+ FirstPages.numberOffset }

    /// Gives the page of the commit that follows `announced` back the number that it had before, if there is that
    /// commit.
    func withdraw(after announced: UInt64) {
        let commit = announced &+ 1
        guard announced > 0, FirstPages.word(file, at: offset(of: commit)) == commit,
            FirstPages.word(file, at: offset(of: announced)) == announced
        else { return }
        var before = announced &- 1
        guard DiskSpace.isAllowed(2 &* pageSize) else { return }
        pwrite(file, &before, 8, Int(clamping: offset(of: commit)))
    }

    static func word(_ file: Int32, at offset: UInt64) -> UInt64? {
        var word: UInt64 = 0
        return pread(file, &word, 8, Int(clamping: offset)) == 8 ? word : nil
    }
}
