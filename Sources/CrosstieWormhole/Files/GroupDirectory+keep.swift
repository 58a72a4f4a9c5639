internal import CPlatform
internal import Glibc

/// Locks for opening and closing a group in its directory, and protection from programs that remove old files.
extension GroupDirectory {
    /// Processes that open the group exclude one another by a lock on this file, because every member holds a lock on
    /// the directory itself.
    static var openingName: String { "opening" }

    /// Keeps others in this process and elsewhere from opening the group while `body` runs. Recreates a directory that
    /// was removed.
    func withMembersLocked<Result>(
        timeout: UInt64, _ body: () throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let file = try lockOpening(timeout)
        defer {
            // Said in so many words: a child that was forked meanwhile has the lock too, and would keep it.
            _ = cp_lock_byte(file, 0, false)
            Glibc.close(file)
        }
        return try body()
    }

    private func lockOpening(_ timeout: UInt64) throws(CrosstieError) -> Int32 {
        let end = Clock.now() &+ timeout
        while true {
            if isRemoved { try makeAgain() }
            if let file = try openOpening() {
                let failure = cp_lock_byte(file, 0, true) ? 0 : errno
                // It may have been removed before it was locked.
                if failure == 0, FileIdentity(file) == FileIdentity(in: descriptor, GroupDirectory.openingName) {
                    return file
                }
                Glibc.close(file)
                guard [0, EAGAIN, EACCES, EINTR].contains(failure) else {
                    throw .system("lock a byte of opening", failure)
                }
            }
            guard Clock.now() < end else {
                throw .late("another process has been opening the group", timeout, at: path)
            }
            Clock.sleep(nanoseconds: 1_000_000)
        }
    }

    /// Opens the file, and creates it if it is missing; nil if it appeared or disappeared in between.
    private func openOpening() throws(CrosstieError) -> Int32? {
        let isThere = try size(of: GroupDirectory.openingName) != nil
        let file =
            isThere
            ? cp_open_file(descriptor, GroupDirectory.openingName)
            : cp_create_file(descriptor, GroupDirectory.openingName)
        if file >= 0 {
            if !isThere { GroupDirectory.keepFromCleaners(file) }
            return file
        }
        guard errno == ENOENT || errno == EEXIST else { throw .system("open opening", errno) }
        return nil
    }

    // MARK: Cleaners

    /// Marks the directory as in use, until it is released: programs that remove old files, such as systemd-tmpfiles,
    /// try to lock each directory first, and skip it if they cannot. Returns whether another process has the group
    /// open. The lock on opening is held.
    func hold(until end: UInt64) throws(CrosstieError) -> Bool {
        while true {
            let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            if isAlone || errno == EWOULDBLOCK, flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
                HeldFiles.add(descriptor)
                return !isAlone
            }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .system("flock", errno) }
            guard Clock.now() < end else {
                throw CrosstieError(
                    .timedOut, "a process that has not opened the group has kept the lock of its directory", at: path)
            }
            Clock.sleep(nanoseconds: 1_000_000)
        }
    }

    /// Said in so many words, as above.
    func release() {
        HeldFiles.remove(descriptor)
        _ = flock(descriptor, LOCK_UN)
    }

    /// Sets the sticky bit, by which the XDG rules for the runtime directory have a file stay, however old it is.
    static func keepFromCleaners(_ file: Int32) { _ = fchmod(file, 0o1600) }

    /// Makes the files look used: cleaners that know neither locks nor sticky bits go by a file's times, and what is
    /// written through a map does not change those.
    func touch() {
        for file in GroupDirectory.fileNames + [GroupDirectory.openingName] {
            _ = utimensat(descriptor, file, nil, AT_SYMLINK_NOFOLLOW)
        }
        _ = futimens(descriptor, nil)
    }

    /// Throws when there is no trace of a group. Nothing is made meanwhile.
    func requireGroup() throws(CrosstieError) {
        for file in [GroupDirectory.wakeupsName, GroupDirectory.openingName] where try size(of: file) != nil { return }
        // Members that have the group open will restore its files.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        _ = flock(descriptor, LOCK_UN)
        throw .noGroup(at: path)
    }

    // MARK: Directories that were removed

    var isRemoved: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// Opens the directory that is now under this path, and creates it if there is none. The descriptor stays the same.
    func makeAgain() throws(CrosstieError) {
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        if !parent.isEmpty {
            if mkdir(parent, 0o700) != 0, isUsual {
                Glibc.close(try GroupDirectory.openOwn(AT_FDCWD, parent, durability))
            }
        }
        let fresh = try GroupDirectory.openOwn(AT_FDCWD, path, durability)
        defer { Glibc.close(fresh) }
        guard cp_replace_descriptor(fresh, descriptor) else { throw .system("dup3", errno) }
        // Not held so far; otherwise the opening process does that.
        if HeldFiles.contains(descriptor) { _ = flock(descriptor, LOCK_SH | LOCK_NB) }
    }
}

extension GroupDirectory {
    /// Which files its names lead to.
    var files: [FileIdentity?] { GroupDirectory.fileNames.map { FileIdentity(in: descriptor, $0) } }

    /// Throws when names lead to other files than they did before, or to none.
    func require(_ before: [FileIdentity?]) throws(CrosstieError) {
        if files != before || before.contains(nil) {
            throw CrosstieError(.busy, "files of the group are being removed", at: path)
        }
    }
}
