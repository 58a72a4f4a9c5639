internal import Glibc

/// The identity of a file, independent of its name.
struct FileIdentity: Equatable {
    let device: UInt64
    let number: UInt64

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// Of an open file.
    init?(_ file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of a name in a directory; nil when it leads nowhere.
    init?(in directory: Int32, _ name: String) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }
}
