import ArgumentParser

/// `crosstie scheme install`
struct SchemeInstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Write an application's desktop file, and make it the default for its schemes.",
        discussion: "Without --take, a scheme that another application opens already stays with it, and is left out."
    )

    @OptionGroup var application: SchemeApplication

    @Option(name: .customLong("scheme"), help: ArgumentHelp("A URL scheme; may be repeated.", valueName: "scheme"))
    var schemes: [String]

    @Option(help: ArgumentHelp("The program's absolute path; it is given a URL.", valueName: "path"))
    var exec: String

    @Option(help: "The application's name for people; by default its id.")
    var name: String?

    @Option(help: "An icon: a name or an absolute path.")
    var icon: String?

    @Flag(help: "Show the application in menus.")
    var menu = false

    @Flag(help: "Let the session bus start the application, which then owns the id as its name there.")
    var dbus = false

    @Flag(help: "Open links in the running instance; only if there is none, the program starts, and without a URL.")
    var handOff = false

    @Flag(help: "Take the schemes from the applications that open them now.")
    var take = false

    @Flag(help: "Replace files of the same names that 'crosstie scheme' has not written.")
    var force = false

    @Flag(name: .customLong("try"), help: "Open a URL of each scheme by xdg-open and gio; it has to arrive in 5 s.")
    var tries = false

    @Flag(help: "Print what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var output: SchemeArguments

    func validate() throws {
        if take, application.system { throw ValidationError("--take is for one user's defaults, not for --system.") }
        if dryRun, tries { throw ValidationError("--try and --dry-run exclude each other.") }
        if dbus, !application.app.isBusName {
            throw ValidationError(
                "--dbus needs an id such as com.example.app: parts with dots, none with a digit first.")
        }
        for text in [name, icon].compactMap({ $0 }) where text.unicodeScalars.contains(where: \.steers) {
            throw ValidationError("--name and --icon have no control characters.")
        }
    }

    func run() throws {
        let report = output.report
        var seen: Set<URLScheme> = []
        let schemes = try self.schemes.map { try URLScheme($0) }.filter { seen.insert($0).inserted }
        if let sandbox = Sandbox.current { return try refuse(sandbox, schemes, report) }
        let program = try ProgramPath(exec)
        let location = SchemeLocation(directories: try XDGDirectories(), isSystem: application.system)
        if !dryRun { try WholeFile.makeDirectory(location.applications, mode: location.directoryMode) }
        let preferred = try location.locked { try install(schemes, program, location, report) }
        if dryRun { return }
        try check(preferred, location, report)
        if tries { try SchemeAttempt(app: application.app, location: location, report: report).run(preferred) }
    }

    private func refuse(_ sandbox: Sandbox, _ schemes: [URLScheme], _ report: SchemeReport) throws {
        for line in sandbox.manifest(application.app, schemes) { try report.manifest(line) }
        throw Refusal("nothing is installed from inside \(sandbox.name): its manifest needs the lines above")
    }

    /// Returns the schemes whose URLs the application opens by default.
    private func install(
        _ schemes: [URLScheme], _ program: ProgramPath, _ location: SchemeLocation, _ report: SchemeReport
    ) throws -> [URLScheme] {
        let tool = handOff ? try ProgramPath.ownTool() : nil
        let linking =
            tool == nil
            ? program.path(linkedBy: location.link(application.app))
            : (path: program.program, link: nil, warning: nil)
        for warning in schemes.flatMap(\.warnings) + program.warnings + [linking.warning].compactMap({ $0 }) {
            try report.warn(warning)
        }
        try DefaultCheck.warnOfMissingTools(report)
        let preferred = try schemes.filter { try !isTaken($0, location, report) }
        let old = try WholeFile.read(location.desktopFile(application.app)).map { DesktopEntry($0) }
        // To declare another scheme could make this application its default. One that it has declared stays declared.
        let declared = schemes.filter { preferred.contains($0) || old?.declaresAsOurs($0) ?? false }
        guard !declared.isEmpty else { throw Refusal("other applications open every scheme; --take takes them") }
        let handler = HandlerApplication(
            app: application.app, name: name ?? application.app.text, icon: icon, schemes: declared, path: linking.path,
            linked: linking.link == nil && tool == nil ? nil : program.program, tool: tool, isInMenu: menu,
            isActivatable: dbus)
        let files = SchemeFiles(location: location, report: report, isDry: dryRun)
        let installation = SchemeInstallation(
            application: handler, location: location, files: files, link: linking.link, preferred: preferred)
        try installation.install(replacesOthers: force)
        return preferred
    }

    /// Whether a scheme stays with another application, which is named.
    private func isTaken(_ scheme: URLScheme, _ location: SchemeLocation, _ report: SchemeReport) throws -> Bool {
        let lookup = SchemeLookup(directories: location.directories)
        let ids = [lookup.current(scheme.text)?.id ?? "", DefaultCheck.foundByXDG(scheme)]
        guard let id = ids.first(where: { $0 != application.app.file && lookup.path(of: $0) != nil }),
            let path = lookup.path(of: id), let bytes = try WholeFile.read(path)
        else { return false }
        let owner = "the scheme '\(scheme.text)' is opened by \(id) (\(DesktopEntry(bytes).summary))"
        try report.warn(SchemeWarning(.taken, owner + (take ? " until now" : "; --take takes it")))
        return !take
    }

    private func check(_ schemes: [URLScheme], _ location: SchemeLocation, _ report: SchemeReport) throws {
        let check = DefaultCheck(app: application.app, report: report)
        let lookup = SchemeLookup(directories: location.directories)
        var isRight = true
        for scheme in schemes {
            if !location.isSystem, DesktopTool.xdgMime.path != nil,
                DefaultCheck.foundByXDG(scheme) != application.app.file
            {
                // Some desktops keep defaults in files of their own, which xdg-mime knows.
                _ = DesktopTool.xdgMime.output(["default", application.app.file, scheme.mimeType])
            }
            if try check.isDefault(scheme) { continue }
            isRight = false
            guard let current = lookup.current(scheme.text), current.id != application.app.file else { continue }
            try report.warn(
                SchemeWarning(.otherFile, "\(current.file) names \(current.id) for the scheme '\(scheme.text)'"))
        }
        guard isRight else { throw ExitCode.failure }
    }
}
