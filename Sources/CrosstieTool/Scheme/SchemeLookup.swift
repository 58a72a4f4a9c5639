/// The rules by which desktops find the application of a scheme (MIME Applications Associations Specification).
struct SchemeLookup {
    let directories: XDGDirectories

    /// The desktop file's id that opens a scheme's URLs, and the file that names it; nil for none.
    func current(_ scheme: String) -> (id: String, file: String)? {
        for file in directories.defaultFiles {
            guard let bytes = try? WholeFile.read(file) else { continue }
            let ids = DefaultApplications(bytes).applications(of: scheme)
            if let id = ids.first(where: { path(of: $0) != nil }) { return (id, file) }
        }
        for directory in directories.applications {
            let cache = directory + "/mimeinfo.cache"
            if let id = cached(scheme, in: cache).first(where: { path(of: $0) != nil }) { return (id, cache) }
        }
        return nil
    }

    /// The ids that declare a scheme, in every directory, each once.
    func candidates(_ scheme: String) -> [String] {
        var seen: Set<String> = []
        return directories.applications.flatMap { cached(scheme, in: $0 + "/mimeinfo.cache") }
            .filter { path(of: $0) != nil && seen.insert($0).inserted }
    }

    /// The desktop file of an id; nil if it is missing or hidden.
    func path(of id: String) -> String? {
        guard let path = paths(of: id).first, let bytes = try? WholeFile.read(path) else { return nil }
        return DesktopEntry(bytes).isHidden ? nil : path
    }

    /// The desktop files of an id, by precedence: each hides those after it.
    func paths(of id: String) -> [String] {
        guard !id.contains("/"), id.hasSuffix(".desktop") else { return [] }
        return directories.applications.compactMap { directory in
            names(of: id).lazy.map { "\(directory)/\($0)" }.first { ((try? WholeFile.read($0)) ?? nil) != nil }
        }
    }

    /// The ids of a scheme in a cache.
    func cached(_ scheme: String, in cache: String) -> [String] {
        guard let bytes = try? WholeFile.read(cache) else { return [] }
        let key = Array("\(DesktopEntry.mimePrefix)\(scheme)=".utf8)
        guard let line = bytes.linesWithEnds.first(where: { $0.starts(with: key) }) else { return [] }
        return String(decoding: line.dropFirst(key.count), as: UTF8.self).split { $0 == ";" || $0.isNewline }
            .map(String.init)
    }

    /// Whether a cache names an id for any type.
    static func isCached(_ id: String, in cache: String) -> Bool {
        guard let bytes = try? WholeFile.read(cache) else { return false }
        return bytes.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") || $0 == 0x0A }
            .contains { $0.elementsEqual(id.utf8) }
    }

    /// A dash of an id may mean a subdirectory.
    private func names(of id: String) -> [String] {
        let dashes = id.indices.filter { id[$0] == "-" && $0 != id.startIndex }
        return [id] + dashes.map { "\(id[..<$0])/\(id[id.index(after: $0)...])" }
    }
}
