import ArgumentParser
@preconcurrency import Glibc

/// `crosstie scheme remove`
struct SchemeRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the files and defaults that 'install' wrote for an application."
    )

    @OptionGroup var application: SchemeApplication

    @Flag(help: "Print what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var output: SchemeArguments

    func run() throws {
        let location = SchemeLocation(directories: try XDGDirectories(), isSystem: application.system)
        let files = SchemeFiles(location: location, report: output.report, isDry: dryRun)
        if DesktopTool.updateDatabase.path == nil { try DefaultCheck.warnOfMissingTools(output.report) }
        let isFound = try location.locked { try remove(location, files) }
        guard isFound else {
            Output.complain("crosstie: \(location.desktopFile(application.app)) is not installed")
            throw SchemeCommand.notInstalled
        }
    }

    /// The defaults first, so that none of them names a missing desktop file.
    private func remove(_ location: SchemeLocation, _ files: SchemeFiles) throws -> Bool {
        let app = application.app
        let path = location.desktopFile(app)
        let bytes = try WholeFile.read(path)
        if bytes == nil, !files.isDry { WholeFile.removeUnfinished(path) }
        // A crash of an earlier removal leaves any of these.
        let isCached = SchemeLookup.isCached(app.file, in: location.applications + "/mimeinfo.cache")
        let hasRest = try isCached || WholeFile.target(of: location.link(app)) != nil || isOurService(location)
        guard bytes != nil || hasRest else { return false }
        if let bytes {
            let entry = DesktopEntry(bytes)
            guard entry.isOurs else {
                throw Refusal("\(path) is not from 'crosstie scheme' (\(entry.summary)), and stays")
            }
            if !location.isSystem {
                try files.changeDefaults { $0.drop(app.file) }
            }
            try files.remove(path)
        }
        try SchemeInstallation.removeService(app, location, files)
        try files.removeLink(location.link(app))
        try files.updateCache()
        return true
    }

    private func isOurService(_ location: SchemeLocation) throws -> Bool {
        try WholeFile.read(location.serviceFile(application.app)).map(HandlerApplication.isOurService) ?? false
    }
}
