import Crosstie
@preconcurrency import Glibc

/// A program that connects applications to URL schemes, run without a shell.
struct DesktopTool {
    let name: String
    /// Debian's package.
    let package: String

    static let xdgMime = DesktopTool(name: "xdg-mime", package: "xdg-utils")
    static let xdgOpen = DesktopTool(name: "xdg-open", package: "xdg-utils")
    static let gio = DesktopTool(name: "gio", package: "libglib2.0-bin")
    static let updateDatabase = DesktopTool(name: "update-desktop-database", package: "desktop-file-utils")

    /// More than any of them takes on a loaded machine.
    private static var patience: Int { 20_000 }

    /// The first program of the name on the PATH; nil for none.
    var path: String? {
        let directories = (Environment.value("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return directories.lazy.map { "\($0)/\(name)" }.first { DesktopTool.canRun($0) }
    }

    static func canRun(_ path: String) -> Bool {
        var about = stat()
        return stat(path, &about) == 0 && about.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Runs the program, and returns its output if it succeeds; nil if it fails or is missing.
    func output(_ arguments: [String]) -> String? {
        var ends: [Int32] = [-1, -1]
        guard let path, pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let started = ChildProgram(path, [name] + arguments, environment: ["LC_ALL=C"], output: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        guard let started else { return nil }
        let deadline = Deadline(milliseconds: Self.patience)
        let text = DesktopTool.readAll(ends[0], until: deadline)
        guard started.wait(until: deadline) == 0 else {
            started.end()
            return nil
        }
        return text
    }

    /// Reads a descriptor to its end, or until the deadline.
    static func readAll(_ descriptor: Int32, until deadline: Deadline, limit: Int = 1 << 20) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, deadline.milliseconds) > 0 else { break }
            let size = read(descriptor, &piece, piece.count)
            guard size > 0 else { break }
            bytes += piece.prefix(size)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
