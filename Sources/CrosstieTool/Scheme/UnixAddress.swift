import Crosstie
@preconcurrency import Glibc

/// The address of a socket in the file system.
struct UnixAddress {
    private(set) var value = sockaddr_un()

    /// - Parameter path: a path of at most 107 bytes; of a longer one those.
    init(_ path: String) {
        value.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &value.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
    }
}
