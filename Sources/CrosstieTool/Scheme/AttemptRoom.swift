import Crosstie
@preconcurrency import Glibc

/// A temporary directory with a copy of a desktop file, and the socket at which its URLs arrive.
final class AttemptRoom {
    private let directory: String
    private let app: ApplicationID
    private let listener: Int32

    init(_ app: ApplicationID, _ schemes: [URLScheme], copying desktopFile: String) throws {
        var template = Array("/tmp/crosstie-try-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Refusal("/tmp: \(String(cString: strerror(errno)))") }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.app = app
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        var address = UnixAddress(directory + "/socket").value
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
        }
        guard isBound, listen(listener, 16) == 0 else {
            throw Refusal("\(directory)/socket: \(String(cString: strerror(errno)))")
        }
        guard let tool = WholeFile.target(of: "/proc/self/exe"), symlink(tool, toolPath) == 0 else {
            throw Refusal("\(toolPath): \(String(cString: strerror(errno)))")
        }
        try copy(desktopFile, schemes)
    }

    /// The variables by which the tools find the copy first.
    func environment(_ directories: XDGDirectories) -> [String] {
        let data = ([directories.dataHome] + directories.dataDirectories).joined(separator: ":")
        // Without an application, xdg-open starts a browser.
        return ["XDG_DATA_HOME=\(directory)/data", "XDG_DATA_DIRS=\(data)", "BROWSER=false"]
    }

    /// Returns the text of the next connection; nil if none comes in time.
    func receive(milliseconds: Int32, until deadline: Deadline) -> String? {
        var waited = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, milliseconds) > 0 else { return nil }
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        return DesktopTool.readAll(connection, until: deadline, limit: URLLimits.url)
    }

    func remove() {
        close(listener)
        let copies = ["data/applications/mimeinfo.cache", "data/applications/\(app.file)"]
        for file in ["socket", "tool"] + copies { unlink("\(directory)/\(file)") }
        for inner in ["data/applications", "data"] { rmdir("\(directory)/\(inner)") }
        rmdir(directory)
    }

    private var toolPath: String { directory + "/tool" }

    /// Writes the same lines, but for those that start the application, and a cache: gio passes over an entry in a
    /// later directory that an earlier one hides.
    private func copy(_ desktopFile: String, _ schemes: [URLScheme]) throws {
        guard let bytes = try WholeFile.read(desktopFile) else { throw Refusal("\(desktopFile) is missing") }
        var lines: [[UInt8]] = []
        for line in bytes.linesWithEnds where !line.starts(with: Array("DBusActivatable=".utf8)) {
            let isExec = line.starts(with: Array("Exec=".utf8))
            lines.append(isExec ? Array("Exec=\(toolPath) scheme receive \(directory)/socket %u\n".utf8) : line)
        }
        let applications = directory + "/data/applications"
        try WholeFile.makeDirectory(applications, mode: 0o700)
        _ = try WholeFile.write(Array(lines.joined()), to: "\(applications)/\(app.file)", mode: 0o644)
        let cache = ["[MIME Cache]"] + schemes.map { "\($0.mimeType)=\(app.file);" }
        let text = cache.joined(separator: "\n") + "\n"
        _ = try WholeFile.write(Array(text.utf8), to: applications + "/mimeinfo.cache", mode: 0o644)
    }
}
