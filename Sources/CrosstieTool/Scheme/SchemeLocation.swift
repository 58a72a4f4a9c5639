@preconcurrency import Glibc

/// The files of an application's schemes, for one user or for all.
struct SchemeLocation {
    let directories: XDGDirectories
    let isSystem: Bool

    private var data: String { isSystem ? directories.systemData : directories.dataHome }

    /// The directory of the desktop files.
    var applications: String { data + "/applications" }

    func desktopFile(_ app: ApplicationID) -> String { "\(applications)/\(app.file)" }

    func serviceFile(_ app: ApplicationID) -> String { "\(data)/dbus-1/services/\(app.text).service" }

    /// The directory of links to programs whose paths xdg-open cannot start.
    var links: String {
        let prefix = isSystem ? WholeFile.split(data).directory : directories.home + "/.local"
        return prefix + "/lib/crosstie/handlers"
    }

    func link(_ app: ApplicationID) -> String { "\(links)/\(app.text)" }

    /// The permissions of a directory that has to be made.
    var directoryMode: mode_t { isSystem ? 0o755 : 0o700 }

    /// Runs a block while no other `crosstie scheme` changes these files.
    func locked<Result>(_ block: () throws -> Result) throws -> Result {
        let directory = open(applications, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return try block() }
        defer { close(directory) }
        while flock(directory, LOCK_EX) != 0, errno == EINTR {}
        return try block()
    }

    /// The desktop files of a directory that are ours, by name.
    static func ours(in directory: String) -> [(app: ApplicationID, path: String, entry: DesktopEntry)] {
        WholeFile.names(in: directory).sorted().compactMap { name in
            guard name.hasSuffix(".desktop"), let app = ApplicationID(argument: String(name.dropLast(8))),
                let bytes = try? WholeFile.read("\(directory)/\(name)")
            else { return nil }
            let entry = DesktopEntry(bytes)
            return entry.isOurs ? (app, "\(directory)/\(name)", entry) : nil
        }
    }
}
