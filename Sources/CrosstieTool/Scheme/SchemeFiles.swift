@preconcurrency import Glibc

/// Changes of files, each with a line of output; in a dry run the lines alone.
struct SchemeFiles {
    let location: SchemeLocation
    let report: SchemeReport
    let isDry: Bool

    /// Writes a file whole, unless it has the content already.
    func write(_ bytes: [UInt8], to path: String, mode: mode_t? = 0o644) throws {
        if isDry {
            let isSame = try WholeFile.read(path) == bytes
            return try report.file(isSame ? "keep" : "write", path, content: isSame ? nil : bytes)
        }
        try WholeFile.makeDirectory(WholeFile.split(path).directory, mode: location.directoryMode)
        try report.file(WholeFile.write(bytes, to: path, mode: mode) ? "wrote" : "kept", path)
    }

    /// Makes a symbolic link, unless it leads there already.
    func link(_ path: String, to target: String) throws {
        if isDry { return try report.file(WholeFile.target(of: path) == target ? "keep" : "link", path) }
        try WholeFile.makeDirectory(location.links, mode: location.directoryMode)
        try report.file(WholeFile.link(path, to: target) ? "linked" : "kept", path)
    }

    /// Removes a file, if there is one.
    func remove(_ path: String) throws {
        if isDry {
            if try WholeFile.read(path) != nil { try report.file("remove", path) }
        } else if try WholeFile.remove(path) {
            try report.file("removed", path)
        }
    }

    /// Removes a link to a program, and its directories if nothing else is in them.
    func removeLink(_ path: String) throws {
        if isDry {
            if WholeFile.target(of: path) != nil { try report.file("remove", path) }
            return
        }
        if try WholeFile.remove(path) { try report.file("removed", path) }
        if rmdir(location.links) == 0 { rmdir(WholeFile.split(location.links).directory) }
    }

    /// Changes the user's default applications. A link to the file stays a link.
    func changeDefaults(_ change: (inout DefaultApplications) -> Void) throws {
        let path = realpath(of: location.directories.userDefaults)
        let old = try WholeFile.read(path)
        var defaults = DefaultApplications(old)
        change(&defaults)
        guard defaults.bytes != old else {
            if !isDry { WholeFile.removeUnfinished(path) }
            return
        }
        guard let bytes = defaults.bytes else { return try remove(path) }
        try write(bytes, to: path, mode: nil)
    }

    /// Has the desktop's tool collect the types of all desktop files. A cache without any entry is removed.
    func updateCache() throws {
        guard !isDry, access(location.applications, F_OK) == 0 else { return }
        _ = DesktopTool.updateDatabase.output([location.applications])
        let cache = location.applications + "/mimeinfo.cache"
        guard let bytes = try WholeFile.read(cache), !bytes.contains(UInt8(ascii: "=")) else { return }
        _ = try WholeFile.remove(cache)
    }

    private func realpath(of path: String) -> String {
        guard let real = Glibc.realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
