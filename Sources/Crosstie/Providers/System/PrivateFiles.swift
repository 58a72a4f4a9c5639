internal import CPlatform
internal import Glibc
import Synchronization

/// Files for other programs, each in a directory of its own that is this user's alone. They go when this goes.
final class PrivateFiles: Sendable {
    private let root: String
    private let areKept: Bool
    private let paths = Mutex<[String]>([])

    /// - Parameter root: where the directories are made; empty: in TMPDIR, or in /tmp.
    init(in root: String, areKept: Bool) {
        self.root = root
        self.areKept = areKept
    }

    deinit {
        guard !areKept else { return }
        for path in paths.withLock({ $0 }) { Self.delete(path) }
    }

    /// Writes a file that nobody else can read, and gives its path.
    ///
    /// - Throws: *noSpace*, *outOfMemory*, *systemFailure*.
    func write(_ data: [UInt8], named name: String) throws(CrosstieError) -> String {
        let root = root.isEmpty ? Environment.path("TMPDIR") ?? "/tmp" : root
        var template = Array("\(root)/crosstie-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("make a directory in \(root)", errno) }
        let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" } + "/" + name
        do throws(CrosstieError) {
            let file = cp_create_file(AT_FDCWD, path)
            guard file >= 0 else { throw .system("create \(path)", errno) }
            defer { close(file) }
            try Self.fill(file, with: data, path)
        } catch {
            Self.delete(path)
            throw error
        }
        paths.withLock { $0.append(path) }
        return path
    }

    /// Takes back a file that nobody has got.
    func remove(_ path: String) {
        paths.withLock { $0.removeAll { $0 == path } }
        Self.delete(path)
    }

    private static func delete(_ path: String) {
        unlink(path)
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
        if let directory { rmdir(directory) }
    }

    /// Writes data from a file's beginning; a reader by the same descriptor begins there, too.
    static func fill(_ file: Int32, with data: [UInt8], _ name: String) throws(CrosstieError) {
        guard DiskSpace.isAllowed(UInt64(data.count)) else { throw .system("write \(name)", EFBIG) }
        var count = 0
        while count < data.count {
            let written = data.withUnsafeBytes { bytes in
                let rest = bytes[count...]
                return pwrite(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, count)
            }
            guard written > 0 else {
                if written < 0, errno == EINTR { continue }
                throw .system("write \(name)", written < 0 ? errno : ENOSPC)
            }
            count += written
        }
    }
}
