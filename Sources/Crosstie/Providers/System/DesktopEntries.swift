internal import Glibc

/// Desktop entries, found by the rules of the XDG base directories and of the Desktop Entry Specification: the user's
/// first, and a '-' in an id may stand for the '/' of a subdirectory.
enum DesktopEntries {
    /// The path of an entry; nil when there is none, or the user has hidden it.
    ///
    /// - Parameters:
    ///   - id: with or without its ".desktop".
    ///   - directories: those that hold "applications", the first one first.
    /// - Throws: *invalidParameter* for a malformed id.
    static func find(_ id: String, in directories: [String] = dataDirectories) throws(CrosstieError) -> String? {
        let ending = ".desktop"
        let name = id.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) ? id : id + ending
        guard (ending.utf8.count + 1...255).contains(name.utf8.count), isPlain(name[...]),
            name.utf8.allSatisfy({ !ASCII.isControl($0) && $0 != UInt8(ascii: "/") })
        else { throw CrosstieError(.invalidParameter, "'desktopEntry' is not the id of a desktop entry") }
        for directory in directories {
            if let path = find(name[...], in: directory + "/applications") { return isHidden(path) ? nil : path }
        }
        return nil
    }

    /// Whether a name begins as one of a program does: "." and ".." would lead elsewhere.
    private static func isPlain(_ name: Substring) -> Bool {
        name.utf8.first.map { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") } ?? false
    }

    static var dataDirectories: [String] {
        let home = Environment.path("XDG_DATA_HOME") ?? Environment.path("HOME").map { $0 + "/.local/share" }
        let system = Environment.value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        let directories = system.utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
        return (home.map { [$0] } ?? []) + directories.filter { $0.utf8.first == UInt8(ascii: "/") }
    }

    private static func find(_ name: Substring, in directory: String) -> String? {
        let path = "\(directory)/\(name)"
        if FileKind.of(path) == .file { return path }
        for dash in name.utf8.indices where name.utf8[dash] == UInt8(ascii: "-") {
            let (parent, rest) = (name[..<dash], name[name.utf8.index(after: dash)...])
            guard isPlain(parent) else { continue }
            let below = "\(directory)/\(parent)"
            guard FileKind.of(below) == .directory else { continue }
            if let path = find(rest, in: below) { return path }
        }
        return nil
    }

    /// Whether an entry says that for this user it is not there.
    private static func isHidden(_ path: String) -> Bool {
        guard let file = fopen(path, "re") else { return true }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        var isMain = false
        while fgets(&line, Int32(line.count), file) != nil {
            let text = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)).filter { $0 > 0x20 }
            if text.first == UInt8(ascii: "[") { isMain = text == Array("[DesktopEntry]".utf8) }
            if isMain, text == Array("Hidden=true".utf8) { return true }
        }
        return false
    }
}
