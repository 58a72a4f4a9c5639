internal import CLMDB
internal import CPlatform
internal import Glibc

/// Growing a store that fills. One process allocates the room on the disk and then publishes the size in the wakeups.
/// The others adopt it: writers when they begin, readers when they find a state beyond their map. If the growing
/// process dies in between, the file is longer than published, which does no harm.
extension LMDBStore {
    /// Makes the store larger by `size` bytes, or by as much again as it has. False if it may not grow. The writers'
    /// lock is held, and no transaction of this thread is open.
    func grow(for size: UInt64) throws(CrosstieError) -> Bool {
        try adoptSize()
        let least = WormholeOptions.roundedUp(mapSize &+ max(size, 1))
        guard least <= largestSize else { return false }
        try changeMap { () throws(CrosstieError) in
            try extend(to: min(max(least, 2 &* mapSize), largestSize), orTo: least)
        }
        return true
    }

    /// Maps as much as the wakeups say.
    @inline(__always)
    func adoptSize() throws(CrosstieError) {
        if wakeups.storeSize != mapSize { try changeMap { () throws(CrosstieError) in } }
    }

    @inline(never)
    private func changeMap(_ prepare: () throws(CrosstieError) -> Void) throws(CrosstieError) {
        try gate.whileClosed { () throws(CrosstieError) in
            // A process that opens or remaps a writable map cuts the file to the published size.
            try wakeups.withGrowthLocked { () throws(CrosstieError) in
                try prepare()
                try map(wakeups.storeSize)
            }
        }
    }

    /// Takes room from the disk and publishes it: as much as there is, and nothing if not even the least can be had.
    private func extend(to wanted: UInt64, orTo least: UInt64) throws(CrosstieError) {
        let file = try descriptor()
        let size = wakeups.storeSize
        try check(size)
        var end = wanted
        try requireAddresses(end)
        var failure = DiskSpace.take(file, from: size, to: end)
        while [ENOSPC, EDQUOT, EFBIG].contains(failure), end > least {
            end = max(least, WormholeOptions.roundedUp(size &+ (end &- size) / 2))
            failure = DiskSpace.take(file, from: size, to: end)
        }
        guard failure == 0 else {
            ftruncate(file, Int(clamping: size))
            throw .system("enlarge data.mdb", failure)
        }
        // The room taken by failed attempts.
        if end < wanted { ftruncate(file, Int(clamping: end)) }
        if isSystem, fsync(file) != 0 { throw .system("sync data.mdb", errno) }
        wakeups.mapSize.pointee.store(end, ordering: .releasing)
        if isSystem { try WakeupsFile.sync(wakeups) }
    }

    private func map(_ size: UInt64) throws(CrosstieError) {
        guard size != mapSize else { return }
        try check(size)
        try requireAddresses(size)
        guard mdb_env_set_mapsize(environment, Int(clamping: size)) == 0 else {
            // The old map is closed, and LMDB makes no other one.
            gate.lose()
            throw CrosstieError(.outOfMemory, "no addresses for a store of \(size) bytes")
        }
        mapSize = size
    }

    /// Other processes may have written any value.
    private func check(_ size: UInt64) throws(CrosstieError) {
        guard size >= mapSize, size <= largestSize, size % WormholeOptions.mapUnit == 0 else {
            throw CrosstieError(.corruptData, "\(GroupDirectory.wakeupsName) states a store of \(size) bytes")
        }
        var status = stat()
        guard fstat(try descriptor(), &status) == 0, status.st_size >= Int(clamping: size) else {
            throw CrosstieError(.unsafeFile, "data.mdb has been cut")
        }
    }

    /// LMDB gives up its map before it makes another one.
    private func requireAddresses(_ size: UInt64) throws(CrosstieError) {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let trial = mmap(nil, Int(clamping: size), PROT_NONE, flags, -1, 0)
        guard let trial, trial != MAP_FAILED else {
            throw CrosstieError(.outOfMemory, "no addresses for a store of \(size) bytes")
        }
        munmap(trial, Int(clamping: size))
    }
}

extension Wakeups {
    /// Keeps other processes from changing the size of `data.mdb`, and from mapping it, while `body` runs.
    func withGrowthLocked<Result>(
        timeout: UInt64 = 5_000_000_000, _ body: () throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let result = cp_robust_lock(growthLock, timeout)
        // One that died has left nothing that would have to be healed.
        guard result == 0 || result == EOWNERDEAD else {
            if result == ETIMEDOUT {
                throw .late("another process has been enlarging the store", timeout)
            }
            throw CrosstieError(.corruptData, "the store's lock: \(String(cString: strerror(result)))")
        }
        defer { cp_robust_unlock(growthLock) }
        return try body()
    }
}
