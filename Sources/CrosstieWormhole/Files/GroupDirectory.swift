internal import CPlatform
internal import Glibc

/// An open directory that only this user can change.
struct GroupDirectory: ~Copyable {
    /// Stays the same number when the directory has to be recreated.
    let descriptor: Int32
    /// Where it was when it was opened.
    let path: String
    let durability: WormholeOptions.Durability

    static var wakeupsName: String { "wakeups" }
    static var dataName: String { "data.mdb" }
    static var lockName: String { "lock.mdb" }
    /// The files of a group that is open.
    static var fileNames: [String] { [wakeupsName, dataName, lockName] }
    /// Whether the parent directory must be this user's, too.
    let isUsual: Bool

    deinit {
        HeldFiles.remove(descriptor)
        Glibc.close(descriptor)
    }

    /// Opens a directory of the host's choice, making it if it is missing and need not exist.
    init(
        path: String, _ durability: WormholeOptions.Durability = .process, mustExist: Bool = false
    ) throws(CrosstieError) {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        descriptor = try GroupDirectory.openOwn(AT_FDCWD, trimmed, durability, mustExist: mustExist)
        self.path = GroupDirectory.path(of: descriptor)
        self.durability = durability
        isUsual = false
    }

    /// Throws when the directory is on a file system whose files processes cannot share.
    func requireSharedMemory() throws(CrosstieError) {
        guard let name = FileSystem.foreignName(of: descriptor) else { return }
        throw CrosstieError(
            .unsafeFile, "\(path) is on \(name), where processes do not see each other's writes and locks at once")
    }

    /// Opens a group's usual directory, and creates its missing parts unless it must exist.
    init(group: String, _ durability: WormholeOptions.Durability, mustExist: Bool) throws(CrosstieError) {
        let root = try GroupDirectory.openRoot(durability, mustExist: mustExist)
        defer { Glibc.close(root) }
        descriptor = try GroupDirectory.openOwn(root, group, durability, mustExist: mustExist)
        path = GroupDirectory.path(of: descriptor)
        self.durability = durability
        isUsual = true
    }

    /// A path that leads to this very directory, whatever happens to its name.
    var stablePath: String { "/proc/self/fd/\(descriptor)" }

    static func openRoot(
        _ durability: WormholeOptions.Durability, mustExist: Bool
    ) throws(CrosstieError) -> Int32 {
        try openOwn(AT_FDCWD, try rootPath(durability, mustExist: mustExist), durability, mustExist: mustExist)
    }

    private static func rootPath(
        _ durability: WormholeOptions.Durability, mustExist: Bool
    ) throws(CrosstieError) -> String {
        if durability == .system { return try stateDirectory(mustExist: mustExist) + "/crosstie" }
        if let runtime = Environment.path("XDG_RUNTIME_DIR") { return runtime + "/crosstie" }
        return (Environment.path("TMPDIR") ?? "/tmp") + "/crosstie-\(geteuid())"
    }

    /// The directory for state that outlives a restart of the machine. It is created if it is missing. Its own safety
    /// is the user's concern; the directories created in it are checked.
    private static func stateDirectory(mustExist: Bool) throws(CrosstieError) -> String {
        if let state = Environment.path("XDG_STATE_HOME") {
            if !mustExist { try make([state]) }
            return state
        }
        guard let home = Environment.path("HOME") else {
            throw CrosstieError(.systemFailure, "neither XDG_STATE_HOME nor HOME says where the group is to be kept")
        }
        if !mustExist { try make([home + "/.local", home + "/.local/state"]) }
        return home + "/.local/state"
    }

    private static func make(_ paths: [String]) throws(CrosstieError) {
        for path in paths where mkdir(path, 0o700) == 0 {
            let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard directory >= 0 else { throw .system("open \(path)", errno) }
            defer { Glibc.close(directory) }
            try syncParent(of: directory, path)
        }
    }

    static func openOwn(
        _ parent: Int32, _ path: String, _ durability: WormholeOptions.Durability, mustExist: Bool = false
    ) throws(CrosstieError) -> Int32 {
        let isNew = !mustExist && mkdirat(parent, path, 0o700) == 0
        if !mustExist, !isNew, errno != EEXIST { throw .system("mkdir \(path)", errno) }
        let directory = cp_open_directory(parent, path)
        guard directory >= 0 else { throw openFailure(parent, path, errno, mustExist: mustExist) }
        do throws(CrosstieError) {
            if isNew { fchmod(directory, 0o700) }
            try requireOwn(directory, path)
            if isNew, durability == .system { try syncParent(of: directory, path) }
        } catch {
            Glibc.close(directory)
            throw error
        }
        return directory
    }

    private static func requireOwn(_ directory: Int32, _ path: String) throws(CrosstieError) {
        var status = stat()
        let isKnown = fstat(directory, &status) == 0
        if isKnown, status.st_uid != geteuid() { throw ofAnother(status.st_uid, path) }
        guard isKnown, status.st_mode & 0o022 == 0 else {
            throw CrosstieError(.unsafeFile, "\(path) is not a directory that only its owner, this user, can write")
        }
    }

    /// In a user namespace without that user, the number is one that stands for all others.
    private static func ofAnother(_ owner: uid_t, _ path: String) -> CrosstieError {
        CrosstieError(
            .unsafeFile,
            "\(path) belongs to another user: to \(owner), as this process sees it, which runs as \(geteuid())")
    }

    /// A directory is on the disk once the one that holds its name has been synced.
    private static func syncParent(of directory: Int32, _ path: String) throws(CrosstieError) {
        let parent = cp_open_directory(directory, "..")
        guard parent >= 0 else { throw .system("open the directory of \(path)", errno) }
        defer { Glibc.close(parent) }
        guard fsync(parent) == 0 else { throw .system("sync the directory of \(path)", errno) }
    }

    private static func openFailure(
        _ parent: Int32, _ path: String, _ code: Int32, mustExist: Bool
    ) -> CrosstieError {
        if mustExist, code == ENOENT { return .noGroup(at: path) }
        var status = stat()
        if code == EACCES, fstatat(parent, path, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_uid != geteuid() {
            return ofAnother(status.st_uid, path)
        }
        let isTampered = code == ELOOP || code == ENOTDIR
        return isTampered
            ? CrosstieError(.unsafeFile, "\(path) is a link or no directory")
            : .system("open \(path)", code)
    }
}

extension GroupDirectory {
    /// The size of a file, nil if there is none. Throws when it is not a plain file that is this user's alone.
    func size(of name: String) throws(CrosstieError) -> Int? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .system("stat \(name)", errno)
        }
        let isPlain = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
        guard isPlain, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CrosstieError(.unsafeFile, "\(name) is not a plain file that only its owner, this user, can write")
        }
        return status.st_size
    }

    /// Throws unless a file is there, plain, and at least so long.
    func require(_ name: String, size: Int) throws(CrosstieError) {
        guard let found = try self.size(of: name) else {
            throw CrosstieError(.corruptData, "\(name) is missing from the group's directory")
        }
        guard found >= size else { throw CrosstieError(.unsafeFile, "\(name) has been cut to \(found) bytes") }
    }

    /// Makes a file of a size that is really there on the disk. Gives its descriptor.
    func create(_ name: String, size: Int) throws(CrosstieError) -> Int32 {
        unlinkat(descriptor, name, 0)
        let file = cp_create_file(descriptor, name)
        guard file >= 0 else { throw .system("create \(name)", errno) }
        GroupDirectory.keepFromCleaners(file)
        let failure = DiskSpace.take(file, from: 0, to: UInt64(size))
        guard failure == 0 else {
            Glibc.close(file)
            unlinkat(descriptor, name, 0)
            throw .system("allocate \(name)", failure)
        }
        return file
    }

    /// Renames a file to a name with the time; returns that, or nil if the file does not exist.
    func setAside(_ name: String) throws(CrosstieError) -> String? {
        var aside = "\(name).stale-\(time(nil))"
        // A store set aside in the same second stays, too.
        while try size(of: aside) != nil { aside += "-1" }
        if renameat(descriptor, name, descriptor, aside) == 0 { return aside }
        guard errno == ENOENT else { throw .system("rename \(name)", errno) }
        return nil
    }

    /// Has the names of its files on the disk.
    func sync() throws(CrosstieError) {
        guard fsync(descriptor) == 0 else { throw .system("sync the directory", errno) }
    }

    /// The path of an open file, without links.
    static func path(of descriptor: Int32) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let size = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
        return String(decoding: path.prefix(max(size, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension CrosstieError {
    /// For opening a group that must exist.
    static func noGroup(at path: String, _ reason: String = "") -> CrosstieError {
        CrosstieError(.notFound, "there is no such group" + reason, at: path)
    }

    /// For what others have been doing for longer than this process waits.
    static func late(_ what: StaticString, _ nanoseconds: UInt64, at position: String = "") -> CrosstieError {
        CrosstieError(.timedOut, "\(what) for more than \(nanoseconds / 1_000_000) ms", at: position)
    }

    /// The same, naming the directory of the group unless it does already.
    func inDirectory(_ path: String) -> CrosstieError {
        guard location.isEmpty, !message.hasPrefix(path) else { return self }
        return CrosstieError(status, "\(message), in \(Quotation.shown(path))")
    }
}
