internal import CPlatform
internal import Glibc

/// An open directory that nobody but this user can change.
struct GroupDirectory: ~Copyable {
    let descriptor: Int32

    deinit { Glibc.close(descriptor) }

    /// Opens a directory of the host's choice, making it if it is missing.
    init(path: String) throws(CrosstieError) {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        descriptor = try GroupDirectory.openOwn(AT_FDCWD, trimmed)
    }

    /// Opens a group's usual directory, making what is missing of it.
    init(group: String) throws(CrosstieError) {
        let root = try GroupDirectory.openRoot()
        defer { Glibc.close(root) }
        descriptor = try GroupDirectory.openOwn(root, group)
    }

    /// A path that leads to this very directory, whatever happens to its name.
    var stablePath: String { "/proc/self/fd/\(descriptor)" }

    private static func openRoot() throws(CrosstieError) -> Int32 {
        if let runtime = getenv("XDG_RUNTIME_DIR"), runtime[0] == 0x2F {
            return try openOwn(AT_FDCWD, String(cString: runtime) + "/crosstie")
        }
        let temporary = getenv("TMPDIR").flatMap { $0[0] == 0x2F ? String(cString: $0) : nil } ?? "/tmp"
        return try openOwn(AT_FDCWD, temporary + "/crosstie-\(geteuid())")
    }

    private static func openOwn(_ parent: Int32, _ path: String) throws(CrosstieError) -> Int32 {
        let isNew = mkdirat(parent, path, 0o700) == 0
        if !isNew, errno != EEXIST { throw .system("mkdir \(path)", errno) }
        let directory = cp_open_directory(parent, path)
        guard directory >= 0 else { throw openFailure(path, errno) }
        if isNew { fchmod(directory, 0o700) }
        var status = stat()
        guard fstat(directory, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            Glibc.close(directory)
            throw CrosstieError(.unsafe, "\(path) is not a directory that only its owner, this user, can write")
        }
        return directory
    }

    private static func openFailure(_ path: String, _ code: Int32) -> CrosstieError {
        let isTampered = code == ELOOP || code == ENOTDIR
        return isTampered ? CrosstieError(.unsafe, "\(path) is a link or no directory") : .system("open \(path)", code)
    }
}

extension GroupDirectory {
    /// Keeps other openers out, of this process and others, while `body` runs.
    func withOpenersLocked<Result>(
        timeout: UInt64, _ body: () throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let end = Clock.now() &+ timeout
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .system("flock", errno) }
            guard Clock.now() < end else {
                throw CrosstieError(.timeout, "another process has been opening the group for too long")
            }
            Clock.sleep(nanoseconds: 1_000_000)
        }
        // Said in so many words: a child that was forked meanwhile has the lock too, and would keep it.
        defer { _ = flock(descriptor, LOCK_UN) }
        return try body()
    }

    /// The size of a file, nil if there is none. Throws when it is not a plain file that is this user's alone.
    func size(of name: String) throws(CrosstieError) -> Int? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .system("stat \(name)", errno)
        }
        let isPlain = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
        guard isPlain, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CrosstieError(.unsafe, "\(name) is not a plain file that only its owner, this user, can write")
        }
        return status.st_size
    }

    /// Throws unless a file is there, plain, and at least so long.
    func require(_ name: String, size: Int) throws(CrosstieError) {
        guard let found = try self.size(of: name) else {
            throw CrosstieError(.corrupt, "\(name) is missing from the group's directory")
        }
        guard found >= size else { throw CrosstieError(.unsafe, "\(name) has been cut to \(found) bytes") }
    }

    /// Makes a file of a size that is really there on the disk. Gives its descriptor.
    func create(_ name: String, size: Int) throws(CrosstieError) -> Int32 {
        unlinkat(descriptor, name, 0)
        let file = cp_create_file(descriptor, name)
        guard file >= 0 else { throw .system("create \(name)", errno) }
        let failure = DiskSpace.take(file, from: 0, to: UInt64(size))
        guard failure == 0 else {
            Glibc.close(file)
            unlinkat(descriptor, name, 0)
            throw .system("allocate \(name)", failure)
        }
        return file
    }

    /// Puts a file out of the way under a name that tells when.
    func setAside(_ name: String) throws(CrosstieError) {
        let aside = "\(name).stale-\(time(nil))"
        guard renameat(descriptor, name, descriptor, aside) == 0 || errno == ENOENT else {
            throw .system("rename \(name)", errno)
        }
    }
}

extension CrosstieError {
    static func system(_ what: String, _ code: Int32) -> CrosstieError {
        let status: Status =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            case ENOMEM: .noMemory
            default: .system
            }
        return CrosstieError(status, "\(what): \(String(cString: strerror(code)))")
    }
}
