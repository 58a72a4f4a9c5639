internal import CPlatform
internal import Glibc
import Synchronization

/// Making, checking and mapping the file `wakeups`.
enum WakeupsFile {
    static var nameWhileMade: String { "wakeups.new" }

    /// Makes the file under its provisional name; it counts once ``publish(in:)`` has renamed it.
    static func create(
        in directory: borrowing GroupDirectory, _ options: WormholeOptions
    ) throws(CrosstieError) -> Wakeups {
        let wakeups = try map(try directory.create(nameWhileMade, size: WakeupsLayout.size))
        wakeups.base.storeBytes(of: WakeupsLayout.magic, as: UInt64.self)
        wakeups.base.storeBytes(of: WakeupsLayout.version, toByteOffset: WakeupsLayout.versionOffset, as: UInt32.self)
        wakeups.base.storeBytes(of: options.flags, toByteOffset: WakeupsLayout.flagsOffset, as: UInt32.self)
        wakeups.mapSize.pointee.store(options.storeSize, ordering: .relaxed)
        wakeups.limits = options.limits
        wakeups.boot = Boot.identity()
        wakeups.beginLineage()
        return wakeups
    }

    /// The same with the settings of other wakeups.
    static func create(
        in directory: borrowing GroupDirectory, after old: Wakeups
    ) throws(CrosstieError) -> Wakeups {
        let wakeups = try map(try directory.create(nameWhileMade, size: WakeupsLayout.size))
        do throws(CrosstieError) {
            try wakeups.takeOver(old)
        } catch {
            close(wakeups)
            throw error
        }
        return wakeups
    }

    /// The same with the first bytes of other wakeups, as a file has them.
    static func create(
        in directory: borrowing GroupDirectory, header: [UInt8]
    ) throws(CrosstieError) -> Wakeups {
        let wakeups = try map(try directory.create(nameWhileMade, size: WakeupsLayout.size))
        UnsafeMutableRawBufferPointer(start: wakeups.base, count: WakeupsLayout.size).copyBytes(
            from: header.prefix(WakeupsLayout.headerSize))
        return wakeups
    }

    static func publish(in directory: borrowing GroupDirectory) throws(CrosstieError) {
        guard renameat(directory.descriptor, nameWhileMade, directory.descriptor, GroupDirectory.wakeupsName) == 0
        else {
            throw .system("rename wakeups", errno)
        }
    }

    /// Opens the file; nil if there is none.
    static func open(in directory: borrowing GroupDirectory) throws(CrosstieError) -> Wakeups? {
        guard let size = try directory.size(of: GroupDirectory.wakeupsName) else { return nil }
        let file = cp_open_file(directory.descriptor, GroupDirectory.wakeupsName)
        guard file >= 0 else { throw .system("open wakeups", errno) }
        var header: (magic: UInt64, version: UInt32) = (0, 0)
        guard pread(file, &header, 12, 0) == 12 else {
            Glibc.close(file)
            throw CrosstieError(.unsafeFile, "\(GroupDirectory.wakeupsName) has been cut to \(size) bytes")
        }
        do throws(CrosstieError) {
            try check(magic: header.magic, version: header.version, size: size)
        } catch {
            Glibc.close(file)
            throw error
        }
        return try map(file)
    }

    /// Whether there are wakeups that belong to the existing `data.mdb`, and a `lock.mdb`.
    static func areComplete(in directory: borrowing GroupDirectory) throws(CrosstieError) -> Bool {
        guard try directory.size(of: GroupDirectory.wakeupsName) != nil,
            try directory.size(of: GroupDirectory.lockName) != nil,
            let data = FileIdentity(in: directory.descriptor, GroupDirectory.dataName)
        else { return false }
        let file = cp_open_file(directory.descriptor, GroupDirectory.wakeupsName)
        guard file >= 0 else { throw .system("open wakeups", errno) }
        defer { Glibc.close(file) }
        var number: UInt64 = 0
        // Other damage is reported when they are opened.
        return pread(file, &number, 8, WakeupsLayout.dataFileOffset) != 8 || number == data.number
    }

    /// Syncs the header to the disk: its facts about the store must not reach the disk after the store.
    static func sync(_ wakeups: Wakeups) throws(CrosstieError) {
        guard msync(wakeups.base, 4096, MS_SYNC) == 0 else { throw .system("msync wakeups", errno) }
    }

    /// Syncs the whole file, with its size.
    static func syncWhole(_ wakeups: Wakeups) throws(CrosstieError) {
        try sync(wakeups)
        guard fsync(wakeups.file) == 0 else { throw .system("sync wakeups", errno) }
    }

    /// Wakeups without a file.
    static func anonymous(_ options: WormholeOptions) throws(CrosstieError) -> Wakeups {
        let memory = mmap(nil, WakeupsLayout.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .system("map wakeups", errno) }
        let wakeups = Wakeups(base: memory, file: -1)
        do throws(CrosstieError) {
            try wakeups.makeLocks()
        } catch {
            close(wakeups)
            throw error
        }
        wakeups.limits = options.limits
        return wakeups
    }

    static func close(_ wakeups: Wakeups) {
        munmap(wakeups.base, WakeupsLayout.size)
        if wakeups.hasFile { Glibc.close(wakeups.file) }
    }

    static func check(magic: UInt64, version: UInt32, size: Int) throws(CrosstieError) {
        guard magic == WakeupsLayout.magic, version > 0 else {
            throw CrosstieError(.corruptData, "\(GroupDirectory.wakeupsName) is of no known form")
        }
        guard version == WakeupsLayout.version else {
            throw CrosstieError(
                .incompatibleVersion, "the group has version \(version), and the library \(WakeupsLayout.version)")
        }
        guard size >= WakeupsLayout.size else {
            throw CrosstieError(.unsafeFile, "\(GroupDirectory.wakeupsName) has been cut to \(size) bytes")
        }
    }

    /// Takes the descriptor.
    private static func map(_ file: Int32) throws(CrosstieError) -> Wakeups {
        let memory = mmap(nil, WakeupsLayout.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let memory, memory != MAP_FAILED else {
            Glibc.close(file)
            throw .system("map wakeups", errno)
        }
        // From here on no process takes the files for unused and resets them, although no slot is claimed yet.
        let failure = cp_share_byte(file, Int64(WakeupsLayout.useByteOffset))
        guard failure == 0 else {
            munmap(memory, WakeupsLayout.size)
            Glibc.close(file)
            throw .system("lock a byte of \(GroupDirectory.wakeupsName)", failure)
        }
        return Wakeups(base: memory, file: file)
    }
}
