internal import CPlatform
internal import CrosstieWormhole
internal import Glibc

/// The location of an application's first instance: a directory with a lock and a socket. The first instance is the
/// process that has the lock, and it alone makes and removes the socket.
package struct InstanceLocation: Sendable {
    package let application: String
    /// Nil for the directory of the groups.
    private let root: String?

    static var lockName: String { "lock" }
    static var socketName: String { "socket" }
    /// The directory of all applications. No group has a name that begins with a dot.
    private static var allName: String { ".instances" }

    package init(_ application: String, directory: String? = nil) throws(CrosstieError) {
        try ApplicationName.check(application)
        guard directory?.hasPrefix("/") != false else {
            throw CrosstieError(.invalidArgument, "the directory is not an absolute path", at: "options.directory")
        }
        (self.application, root) = (application, directory)
    }

    private func open(mustExist: Bool) throws(CrosstieError) -> PrivateDirectory {
        try PrivateDirectory([InstanceLocation.allName, application], below: root, mustExist: mustExist)
    }

    // MARK: The first instance

    /// The lock and the socket of a first instance.
    struct Claim {
        let directory: PrivateDirectory
        let lock: Int32
        let listener: Int32

        /// Ends the claim; the socket goes before the lock.
        func end() {
            unlinkat(directory.descriptor, InstanceLocation.socketName, 0)
            HeldFiles.remove(listener)
            Glibc.close(listener)
            PrivateDirectory.unlock(lock)
        }
    }

    /// Makes this process the first instance; nil while another one is.
    func claim() throws(CrosstieError) -> Claim? {
        let directory = try open(mustExist: false)
        guard let lock = try directory.lock(InstanceLocation.lockName) else { return nil }
        // The lock's holder alone changes the name, so an older socket has no owner.
        unlinkat(directory.descriptor, InstanceLocation.socketName, 0)
        let listener = cp_socket_listen(directory.descriptor, InstanceLocation.socketName)
        guard listener >= 0 else {
            let failure = CrosstieError.system("make the socket of \(application)", errno)
            PrivateDirectory.unlock(lock)
            throw failure
        }
        HeldFiles.add(listener)
        // By the sticky bit, programs that remove old files spare it.
        _ = fchmodat(directory.descriptor, InstanceLocation.socketName, 0o1600, 0)
        return Claim(directory: directory, lock: lock, listener: listener)
    }

    // MARK: The others

    /// An attempt to reach the first instance.
    enum Attempt {
        case connected(InstanceSocket)
        /// No process listens.
        case nobody
        /// Too many connect at once.
        case crowded
    }

    /// - Throws: *unsafeFile*, *systemFailure*.
    func connect() throws(CrosstieError) -> Attempt {
        let directory: PrivateDirectory
        do throws(CrosstieError) {
            directory = try open(mustExist: true)
        } catch {
            if error.status == .notFound { return .nobody }
            throw error
        }
        let file = cp_socket_connect(directory.descriptor, InstanceLocation.socketName)
        guard file >= 0 else {
            switch errno {
            case ENOENT, ECONNREFUSED, ENOTSOCK: return .nobody
            case EAGAIN: return .crowded
            default: throw .system("connect to \(application)", errno)
            }
        }
        var (pid, uid) = (Int32(0), UInt32.max)
        guard cp_socket_peer(file, &pid, &uid), uid == geteuid() else {
            Glibc.close(file)
            throw CrosstieError(.unsafeFile, "another user's process listens at \(directory.path)")
        }
        return .connected(InstanceSocket(file, pid: pid))
    }

    /// Whether a process is the first instance now.
    package var isHeld: Bool { (try? open(mustExist: true))?.isLocked(InstanceLocation.lockName) ?? false }

    /// When the first instance made its socket: nanoseconds since 1970.
    var since: Int64? {
        guard let directory = try? open(mustExist: true) else { return nil }
        var status = stat()
        guard fstatat(directory.descriptor, InstanceLocation.socketName, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
