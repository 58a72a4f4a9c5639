internal import CPlatform
internal import Glibc

/// A directory that only this user can change, for other files than a group's.
package final class PrivateDirectory: @unchecked Sendable {
    package let descriptor: Int32
    /// For messages.
    package let path: String

    /// Opens directories one inside the other, making what is missing of them unless they must exist.
    ///
    /// - Parameter root: an absolute path; nil for the directory of the groups.
    /// - Throws: *unsafeFile*, *systemFailure*; *notFound* for one that must exist.
    package init(_ names: [String], below root: String?, mustExist: Bool) throws(CrosstieError) {
        var directory =
            if let root {
                try GroupDirectory.openOwn(AT_FDCWD, root, .process, mustExist: mustExist)
            } else {
                try GroupDirectory.openRoot(.process, mustExist: mustExist)
            }
        for name in names {
            let parent = directory
            defer { Glibc.close(parent) }
            directory = try GroupDirectory.openOwn(parent, name, .process, mustExist: mustExist)
        }
        descriptor = directory
        path = GroupDirectory.path(of: directory)
    }

    deinit { Glibc.close(descriptor) }

    /// Takes the lock on a file, which is made if it is missing; nil while another open file has it. The lock ends with
    /// the descriptor, however this process ends.
    package func lock(_ name: String) throws(CrosstieError) -> Int32? {
        while true {
            try requirePlain(name)
            var file = cp_open_file(descriptor, name)
            if file < 0, errno == ENOENT {
                file = cp_create_file(descriptor, name)
                if file < 0, errno == EEXIST { continue }
            }
            guard file >= 0 else { throw .system("open \(path)/\(name)", errno) }
            let failure = cp_lock_byte(file, 0, true) ? 0 : errno
            // It may have been removed before it was locked.
            if failure == 0, FileIdentity(file) == FileIdentity(in: descriptor, name) {
                keep(file)
                return file
            }
            Glibc.close(file)
            if failure == EAGAIN || failure == EACCES { return nil }
            guard failure == 0 || failure == EINTR else { throw .system("lock \(path)/\(name)", failure) }
        }
    }

    /// Whether an open file has the lock.
    package func isLocked(_ name: String) -> Bool {
        let file = cp_open_file(descriptor, name)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        return cp_is_locked(file, 0, 1)
    }

    /// Gives up a lock. Said in so many words, because a child that was forked meanwhile has the open file, too.
    package static func unlock(_ file: Int32) {
        HeldFiles.remove(file)
        _ = cp_lock_byte(file, 0, false)
        Glibc.close(file)
    }

    /// Keeps programs that remove old files from a lock that is held, and from its directory.
    private func keep(_ file: Int32) {
        HeldFiles.add(file)
        GroupDirectory.keepFromCleaners(file)
        _ = flock(descriptor, LOCK_SH | LOCK_NB)
    }

    private func requirePlain(_ name: String) throws(CrosstieError) {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CrosstieError(
                .unsafeFile, "\(path)/\(name) is not a plain file that only its owner, this user, can write")
        }
    }
}
