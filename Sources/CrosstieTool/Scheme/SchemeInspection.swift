/// The search for problems of installed schemes.
struct SchemeInspection {
    let directories: XDGDirectories
    /// The one application that is looked at; nil for all.
    let app: ApplicationID?
    /// The desktop files of ours.
    let applications: [(app: ApplicationID, path: String, entry: DesktopEntry)]
    private let lookup: SchemeLookup

    init(directories: XDGDirectories, app: ApplicationID?) {
        self.directories = directories
        self.app = app
        lookup = SchemeLookup(directories: directories)
        applications = directories.applications.flatMap { SchemeLocation.ours(in: $0) }
            .filter { app == nil || $0.app == app }
    }

    func problems() throws -> [SchemeProblem] {
        var problems = try staleDefaults()
        var shadowed: Set<ApplicationID> = []
        for (app, path, entry) in applications {
            problems += program(app, path, entry)
            if shadowed.insert(app).inserted { problems += shadows(app) }
            for scheme in entry.schemes { problems += defaults(app, path, scheme) }
        }
        return problems
    }

    /// The desktop files in the user's own list that are missing. xdg-mime 1.1.3 goes by the first of a scheme alone.
    private func staleDefaults() throws -> [SchemeProblem] {
        let file = directories.userDefaults
        let defaults = DefaultApplications(try WholeFile.read(file) ?? [])
        return defaults.schemes.flatMap { scheme in
            defaults.applications(of: scheme).filter { isLookedAt($0) && lookup.path(of: $0) == nil }.map { id in
                SchemeProblem(
                    kind: .staleDefault, scheme: scheme, file: file,
                    text: "\(file) names \(id) for the scheme '\(scheme)', which is not installed")
            }
        }
    }

    private func isLookedAt(_ id: String) -> Bool { app.map { $0.file == id } ?? true }

    private func program(_ app: ApplicationID, _ path: String, _ entry: DesktopEntry) -> [SchemeProblem] {
        var problems: [SchemeProblem] = []
        for program in Set([entry.program, DesktopText.firstWord(ofExec: entry["Exec"])]).sorted()
        where !DesktopTool.canRun(program) {
            problems.append(
                SchemeProblem(
                    kind: .missingProgram, app: app.text, file: path,
                    text: "\(path) starts '\(program)', which is missing or cannot run"))
        }
        return problems
    }

    private func shadows(_ app: ApplicationID) -> [SchemeProblem] {
        let paths = lookup.paths(of: app.file)
        return paths.dropFirst().map { path in
            SchemeProblem(kind: .shadowed, app: app.text, file: path, text: "\(paths[0]) hides \(path)")
        }
    }

    private func defaults(_ app: ApplicationID, _ path: String, _ scheme: String) -> [SchemeProblem] {
        var problems: [SchemeProblem] = []
        func add(_ kind: SchemeProblem.Kind, _ file: String, _ text: String) {
            problems.append(SchemeProblem(kind: kind, app: app.text, scheme: scheme, file: file, text: text))
        }
        let others = lookup.candidates(scheme).filter { $0 != app.file }
        if !others.isEmpty {
            let names = others.joined(separator: ", ")
            add(.duplicate, path, "the scheme '\(scheme)' of \(app.text) is declared by \(names), too")
        }
        if let current = lookup.current(scheme), current.id != app.file {
            let text = "\(current.file) gives the scheme '\(scheme)' of \(app.text) to \(current.id)"
            add(.otherDefault, current.file, text)
        }
        let cache = WholeFile.split(path).directory + "/mimeinfo.cache"
        if !lookup.cached(scheme, in: cache).contains(app.file) {
            let text = "\(cache) lacks \(app.file) for the scheme '\(scheme)': run update-desktop-database"
            add(.staleCache, cache, text)
        }
        return problems
    }
}
