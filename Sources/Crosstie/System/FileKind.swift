internal import Glibc

/// The kind of file that a path leads to.
enum FileKind {
    case file, directory, other

    /// Follows links. Nil when there is nothing.
    static func of(_ path: String) -> FileKind? {
        var about = stat()
        guard stat(path, &about) == 0 else { return nil }
        switch about.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .directory
        default: return .other
        }
    }
}
