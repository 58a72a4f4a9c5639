import Crosstie
@preconcurrency import Glibc

/// The user's and the system's directories of the XDG Base Directory Specification.
struct XDGDirectories {
    let home: String
    let dataHome: String
    let configHome: String
    /// By precedence, without the user's own.
    let dataDirectories: [String]
    let configDirectories: [String]
    /// The names of the running desktop in lower case, by precedence.
    let desktops: [String]

    /// Throws a refusal without a home directory.
    init() throws {
        guard let home = Environment.path("HOME") else { throw Refusal("HOME is not set to an absolute path") }
        self.home = home
        dataHome = Self.trimmed(Environment.path("XDG_DATA_HOME") ?? home + "/.local/share")
        configHome = Self.trimmed(Environment.path("XDG_CONFIG_HOME") ?? home + "/.config")
        dataDirectories = Self.list("XDG_DATA_DIRS", default: "/usr/local/share:/usr/share")
        configDirectories = Self.list("XDG_CONFIG_DIRS", default: "/etc/xdg")
        desktops = (Environment.value("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":").map { $0.lowercased() }
    }

    /// Every directory with desktop files, by precedence.
    var applications: [String] { ([dataHome] + dataDirectories).map { $0 + "/applications" } }

    /// The data directory for all users: the usual one where it counts, because packages own the others.
    var systemData: String {
        let usual = "/usr/local/share"
        return dataDirectories.contains(usual) ? usual : dataDirectories.first ?? usual
    }

    /// The files with default applications, by precedence; some may be missing.
    var defaultFiles: [String] {
        let names = desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list"]
        let directories = [configHome] + configDirectories + applications
        return directories.flatMap { directory in names.map { "\(directory)/\($0)" } }
    }

    /// The file with the user's own choices.
    var userDefaults: String { configHome + "/mimeapps.list" }

    private static func list(_ variable: String, default usual: String) -> [String] {
        var seen: Set<String> = []
        return (Environment.value(variable) ?? usual).split(separator: ":")
            .filter { $0.hasPrefix("/") }.map { trimmed(String($0)) }.filter { seen.insert($0).inserted }
    }

    private static func trimmed(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
