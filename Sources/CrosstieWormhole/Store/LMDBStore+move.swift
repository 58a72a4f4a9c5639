internal import CLMDB
internal import CPlatform
internal import Glibc

/// Going on in other files, when those of the group were removed.
extension LMDBStore {
    /// Copies the store into a file of the same directory, under a provisional name: byte by byte, so that it keeps the
    /// numbers of its transactions. The writers' lock is held.
    func copy(into directory: borrowing GroupDirectory, as name: String) throws(CrosstieError) {
        var info = MDB_envinfo()
        mdb_env_info(environment, &info)
        let size = Int(clamping: wakeups.storeSize)
        try DiskSpace.require(wakeups.storeSize, for: "data.mdb")
        let file = try directory.create(name, size: size)
        defer { Glibc.close(file) }
        do throws(CrosstieError) {
            try copy(from: try descriptor(), to: file, min((info.me_last_pgno &+ 1) &* Int(pageSize), size))
            if isSystem, fsync(file) != 0 { throw .system("sync data.mdb", errno) }
        } catch {
            unlinkat(directory.descriptor, name, 0)
            throw error
        }
    }

    private func copy(from source: Int32, to target: Int32, _ size: Int) throws(CrosstieError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < size {
            let read = pread(source, buffer.baseAddress, min(buffer.count, size - offset), offset)
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw .system("copy data.mdb", read < 0 ? errno : EIO) }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<read]), to: target, at: offset)
            offset += read
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, to file: Int32, at start: Int
    ) throws(CrosstieError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = pwrite(file, rest.baseAddress, rest.count, start + done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .system("copy data.mdb", written < 0 ? errno : EIO) }
            done += written
        }
    }

    /// Opens the store of other wakeups, in place of the open one. No transaction of this thread is open, and the
    /// writers' lock and the wake locks of the old wakeups are held.
    /// - Parameter adopt: runs after opening, and may still fail; replaces the wakeups.
    func move(
        to path: String, _ fresh: Wakeups, adopt: () throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        try gate.whileClosed { () throws(CrosstieError) in
            try fresh.withGrowthLocked { () throws(CrosstieError) in
                try fresh.checkOptions()
                let size = fresh.storeSize
                let (next, number) = try LMDBStore.openEnvironment(path, mapSize: size, fresh)
                do throws(CrosstieError) {
                    try LMDBStore.require(size, of: next)
                    guard try LMDBStore.openDatabase(next) == database else {
                        throw CrosstieError(.corruptData, "the store has another database")
                    }
                    try adopt()
                } catch {
                    mdb_env_close(next)
                    throw error
                }
                endIdleReaders()
                let before = environment
                opened.store(next, ordering: .relaxed)
                reader.store(number, ordering: .relaxed)
                mapSize = size
                flags.store(fresh.flags, ordering: .relaxed)
                largest.store(fresh.limits.mapSize, ordering: .relaxed)
                mdb_env_close(before)
            }
        }
    }
}
