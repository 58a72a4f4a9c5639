internal import CPlatform
internal import Glibc
import Synchronization

/// Making, checking and mapping the file `bells`.
enum BellsFile {
    static var name: String { "bells" }
    static var nameWhileMade: String { "bells.new" }

    /// Makes the file under its provisional name; it counts once ``publish(in:)`` has renamed it.
    static func create(
        in directory: borrowing GroupDirectory, _ options: WormholeOptions
    ) throws(CrosstieError) -> Bells {
        let bells = try map(try directory.create(nameWhileMade, size: BellsLayout.size))
        bells.base.storeBytes(of: BellsLayout.magic, as: UInt64.self)
        bells.base.storeBytes(of: BellsLayout.version, toByteOffset: BellsLayout.versionOffset, as: UInt32.self)
        bells.base.storeBytes(of: options.flags, toByteOffset: BellsLayout.flagsOffset, as: UInt32.self)
        bells.mapSize.pointee.store(options.storeSize, ordering: .relaxed)
        bells.limits = options.limits
        bells.boot = Boot.identity()
        bells.beginLineage()
        return bells
    }

    /// The same with what other bells tell.
    static func create(
        in directory: borrowing GroupDirectory, after old: Bells
    ) throws(CrosstieError) -> Bells {
        let bells = try map(try directory.create(nameWhileMade, size: BellsLayout.size))
        do throws(CrosstieError) {
            try bells.takeOver(old)
        } catch {
            close(bells)
            throw error
        }
        return bells
    }

    /// The same with the first bytes of other bells, as a file tells them.
    static func create(
        in directory: borrowing GroupDirectory, header: [UInt8]
    ) throws(CrosstieError) -> Bells {
        let bells = try map(try directory.create(nameWhileMade, size: BellsLayout.size))
        UnsafeMutableRawBufferPointer(start: bells.base, count: BellsLayout.size).copyBytes(
            from: header.prefix(BellsLayout.headerSize))
        return bells
    }

    static func publish(in directory: borrowing GroupDirectory) throws(CrosstieError) {
        guard renameat(directory.descriptor, nameWhileMade, directory.descriptor, name) == 0 else {
            throw .system("rename bells", errno)
        }
    }

    /// Opens the file; nil if there is none.
    static func open(in directory: borrowing GroupDirectory) throws(CrosstieError) -> Bells? {
        guard let size = try directory.size(of: name) else { return nil }
        let file = cp_open_file(directory.descriptor, name)
        guard file >= 0 else { throw .system("open bells", errno) }
        var header: (magic: UInt64, version: UInt32) = (0, 0)
        guard pread(file, &header, 12, 0) == 12 else {
            Glibc.close(file)
            throw CrosstieError(.unsafeFile, "bells has been cut to \(size) bytes")
        }
        do throws(CrosstieError) {
            try check(magic: header.magic, version: header.version, size: size)
        } catch {
            Glibc.close(file)
            throw error
        }
        return try map(file)
    }

    /// Whether there are bells that belong to the file `data.mdb` that there is, and `lock.mdb`.
    static func areComplete(in directory: borrowing GroupDirectory) throws(CrosstieError) -> Bool {
        guard try directory.size(of: name) != nil, try directory.size(of: LMDBStore.lockName) != nil,
            let data = FileIdentity(in: directory.descriptor, LMDBStore.dataName)
        else { return false }
        let file = cp_open_file(directory.descriptor, name)
        guard file >= 0 else { throw .system("open bells", errno) }
        defer { Glibc.close(file) }
        var number: UInt64 = 0
        // What else may be wrong with them is said by who opens them.
        return pread(file, &number, 8, BellsLayout.dataFileOffset) != 8 || number == data.number
    }

    /// Syncs the header to the disk: what it says about the store must not come later than the store.
    static func sync(_ bells: Bells) throws(CrosstieError) {
        guard msync(bells.base, 4096, MS_SYNC) == 0 else { throw .system("msync bells", errno) }
    }

    /// Syncs the whole file, with its size.
    static func syncWhole(_ bells: Bells) throws(CrosstieError) {
        try sync(bells)
        guard fsync(bells.file) == 0 else { throw .system("sync bells", errno) }
    }

    /// Bells without a file.
    static func anonymous(_ options: WormholeOptions) throws(CrosstieError) -> Bells {
        let memory = mmap(nil, BellsLayout.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .system("map bells", errno) }
        let bells = Bells(base: memory, file: -1)
        do throws(CrosstieError) {
            try bells.makeLocks()
        } catch {
            close(bells)
            throw error
        }
        bells.limits = options.limits
        return bells
    }

    static func close(_ bells: Bells) {
        munmap(bells.base, BellsLayout.size)
        if bells.hasFile { Glibc.close(bells.file) }
    }

    static func check(magic: UInt64, version: UInt32, size: Int) throws(CrosstieError) {
        guard magic == BellsLayout.magic, version > 0 else {
            throw CrosstieError(.corruptData, "bells is of no known form")
        }
        guard version == BellsLayout.version else {
            throw CrosstieError(
                .incompatibleVersion, "the group has version \(version), and the library \(BellsLayout.version)")
        }
        guard size >= BellsLayout.size else { throw CrosstieError(.unsafeFile, "bells has been cut to \(size) bytes") }
    }

    /// Takes the descriptor.
    private static func map(_ file: Int32) throws(CrosstieError) -> Bells {
        let memory = mmap(nil, BellsLayout.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let memory, memory != MAP_FAILED else {
            Glibc.close(file)
            throw .system("map bells", errno)
        }
        // From here on nobody takes the files for unused and sets them up anew, though no slot is claimed yet.
        let failure = cp_share_byte(file, Int64(BellsLayout.useByteOffset))
        guard failure == 0 else {
            munmap(memory, BellsLayout.size)
            Glibc.close(file)
            throw .system("lock a byte of bells", failure)
        }
        return Bells(base: memory, file: file)
    }
}
