internal import CLMDB

extension LMDBStore {
    @inline(__always)
    func beginReading() throws(CrosstieError) -> any RecordTransaction { try beginReadingPages() }

    private func beginReadingPages() throws(CrosstieError) -> LMDBTransaction {
        while true {
            let before = (environment, mapSize)
            try gate.enterReading()
            do throws(CrosstieError) {
                if let transaction = try beginReadingOnce() { return transaction }
            } catch {
                gate.leaveReading()
                throw error
            }
            gate.leaveReading()
            // Another thread may have adopted the size, or other files.
            guard before == (environment, mapSize) else { continue }
            guard wakeups.storeSize != mapSize else {
                throw CrosstieError(.corruptData, "the store is larger than the wakeups say")
            }
            try adoptSize()
        }
    }

    /// LMDB notes the number of the newest state and then copies what is known of it, from one of two pages that
    /// commits use by turns. A reader that is stopped in between for two commits reads a newer state than its number
    /// says, and would get its messages twice. Nil if the store has outgrown the map. The gate is entered.
    private func beginReadingOnce() throws(CrosstieError) -> LMDBTransaction? {
        for _ in 0..<1000 {
            guard let transaction = try beginReadingOnceMore() else { return nil }
            if newestState <= transaction.number &+ 1 { return transaction }
            mdb_txn_reset(transaction.raw)
            giveIdleReader(transaction)
        }
        throw CrosstieError(.busy, "the store changes too fast to be read")
    }

    var newestState: UInt64 {
        var info = MDB_envinfo()
        mdb_env_info(environment, &info)
        return UInt64(bitPattern: Int64(info.me_last_txnid))
    }

    private func beginReadingOnceMore() throws(CrosstieError) -> LMDBTransaction? {
        if let idle = takeIdleReader() {
            let result = mdb_txn_renew(idle.raw)
            if result == 0 { return idle }
            mdb_txn_abort(idle.raw)
            if result == MDB_MAP_RESIZED { return nil }
        }
        var made: OpaquePointer?
        let result = begin(UInt32(MDB_RDONLY), &made)
        if result == MDB_MAP_RESIZED { return nil }
        return LMDBTransaction(try LMDBStore.begun(made, result), self, isWriting: false)
    }

    func beginWriting() throws(CrosstieError) -> any RecordTransaction {
        try adoptSize()
        // A fast store is written through its map, which no limit of files holds for.
        if !isFast { try DiskSpace.require(mapSize, for: "data.mdb") }
        try gate.enterWriting()
        do throws(CrosstieError) {
            return try beginWritingPages()
        } catch {
            gate.leaveWriting()
            throw error
        }
    }

    @inline(__always)
    private func beginWritingPages() throws(CrosstieError) -> LMDBTransaction {
        var made: OpaquePointer?
        let result = begin(0, &made)
        let raw = try LMDBStore.begun(made, result)
        // One writes at a time, and has ended before the next one begins.
        if let writer {
            writer.raw = raw
            writer.extentCount = 0
            return writer
        }
        let fresh = LMDBTransaction(raw, self, isWriting: true)
        writer = fresh
        return fresh
    }

    /// Gives up the readers' slots in LMDB's table.
    func endIdleReaders() {
        while let idle = takeIdleReader() { mdb_txn_abort(idle.raw) }
    }

    /// Pages that earlier transactions gave back. The writers' lock is held, and no transaction of this thread is open.
    /// - Parameter number: of the first transaction that counts.
    func freePages(since number: UInt64 = 0) throws(CrosstieError) -> UInt64 {
        let transaction = try beginReadingPages()
        defer { transaction.end() }
        return try transaction.freePages(since: number)
    }

    @inline(__always)
    private func begin(_ flags: UInt32, _ made: inout OpaquePointer?) -> Int32 {
        let result = mdb_txn_begin(environment, nil, flags, &made)
        guard result == MDB_READERS_FULL else { return result }
        clearDeadReadersInside()
        return mdb_txn_begin(environment, nil, flags, &made)
    }

    @inline(__always)
    private static func begun(_ made: OpaquePointer?, _ result: Int32) throws(CrosstieError) -> OpaquePointer {
        try CrosstieError.check(result, "begin a transaction")
        guard let made else { throw CrosstieError(.outOfMemory, "no transaction") }
        return made
    }
}
