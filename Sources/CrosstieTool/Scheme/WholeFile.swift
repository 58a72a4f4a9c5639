@preconcurrency import Glibc

/// Files that are replaced as a whole: after a crash, a file has its old or its new content.
enum WholeFile {
    /// More than any desktop file or list of defaults has.
    private static var maximumSize: Int { 16 << 20 }

    /// Returns a file's content, nil without one. Throws a refusal for a file that cannot be read.
    static func read(_ path: String) throws -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(path)
        }
        defer { close(file) }
        var about = stat()
        guard fstat(file, &about) == 0 else { throw failure(path) }
        guard about.st_mode & S_IFMT == S_IFREG else { throw Refusal("\(path): not a file") }
        guard about.st_size <= maximumSize else { throw Refusal("\(path): over \(maximumSize) bytes") }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= maximumSize {
            let size = Glibc.read(file, &piece, piece.count)
            if size == 0 { return bytes }
            if size > 0 { bytes += piece.prefix(size) } else if errno != EINTR { throw failure(path) }
        }
        throw Refusal("\(path): over \(maximumSize) bytes")
    }

    /// Replaces a file. Returns false, and writes nothing, if it has the content and the permissions already.
    ///
    /// - Parameter mode: the permissions; nil keeps those of the old file.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t?) throws -> Bool {
        var about = stat()
        let old: mode_t? = lstat(path, &about) == 0 && about.st_mode & S_IFMT == S_IFREG ? about.st_mode & 0o7777 : nil
        let mode = mode ?? old ?? 0o644
        if old == mode, try read(path) == bytes { return false }
        let temporary = temporary(path)
        unlink(temporary)
        do {
            try create(temporary, bytes, mode)
            guard rename(temporary, path) == 0 else { throw failure(path) }
        } catch {
            unlink(temporary)
            throw error
        }
        sync(split(path).directory)
        return true
    }

    /// Makes a symbolic link, or replaces one. Returns false if it leads to the target already.
    static func link(_ path: String, to target: String) throws -> Bool {
        if self.target(of: path) == target { return false }
        let temporary = temporary(path)
        unlink(temporary)
        guard symlink(target, temporary) == 0, rename(temporary, path) == 0 else { throw failure(path) }
        sync(split(path).directory)
        return true
    }

    /// Returns where a symbolic link leads; nil for anything else.
    static func target(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let size = bytes.withUnsafeMutableBytes { room in
            room.withMemoryRebound(to: CChar.self) { room in
                room.baseAddress.map { readlink(path, $0, room.count) } ?? -1
            }
        }
        return size < 0 ? nil : String(decoding: bytes.prefix(size), as: UTF8.self)
    }

    /// Removes the unfinished new content that a crash has left.
    static func removeUnfinished(_ path: String) { unlink(temporary(path)) }

    /// Removes a file or a link. Returns false without one.
    static func remove(_ path: String) throws -> Bool {
        removeUnfinished(path)
        guard unlink(path) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return false }
            throw failure(path)
        }
        sync(split(path).directory)
        return true
    }

    /// Makes a directory and its parents.
    static func makeDirectory(_ path: String, mode: mode_t) throws {
        if mkdir(path, mode) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, path != "/" else { throw failure(path) }
        try makeDirectory(split(path).directory, mode: mode)
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw failure(path) }
    }

    /// Returns the names in a directory; none if it cannot be read.
    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }

    static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// The file for new content. The name is always the same, so that the next run finds the file that a crash leaves.
    private static func temporary(_ path: String) -> String {
        let (directory, name) = split(path)
        return "\(directory)/.\(name).crosstie-new"
    }

    private static func create(_ path: String, _ bytes: [UInt8], _ mode: mode_t) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let size = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if size > 0 { rest = rest.dropFirst(size) } else if errno != EINTR { throw failure(path) }
        }
        guard fchmod(file, mode) == 0, fsync(file) == 0 else { throw failure(path) }
    }

    /// Puts the names in a directory on the disk. File systems that cannot do it have no other way.
    private static func sync(_ directory: String) {
        let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }

    private static func failure(_ path: String) -> Refusal { Refusal("\(path): \(String(cString: strerror(errno)))") }
}
