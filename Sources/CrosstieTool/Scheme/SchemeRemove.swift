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
        let place = SchemePlace(directories: try XDGDirectories(), isSystem: application.system)
        let files = SchemeFiles(place: place, report: output.report, isDry: dryRun)
        if DesktopTool.updateDatabase.path == nil { try DefaultCheck.warnOfMissingTools(output.report) }
        let isFound = try place.locked { try remove(place, files) }
        guard isFound else {
            Output.complain("crosstie: \(place.desktopFile(application.app)) is not installed")
            throw SchemeCommand.notInstalled
        }
    }

    /// The defaults first, so that none of them names a missing desktop file.
    private func remove(_ place: SchemePlace, _ files: SchemeFiles) throws -> Bool {
        let app = application.app
        let path = place.desktopFile(app)
        let bytes = try WholeFile.read(path)
        if bytes == nil, !files.isDry { WholeFile.removeUnfinished(path) }
        // A crash of an earlier removal leaves any of these.
        let isCached = SchemeLookup.isCached(app.file, in: place.applications + "/mimeinfo.cache")
        let hasRest = try isCached || WholeFile.target(of: place.link(app)) != nil || isOurService(place)
        guard bytes != nil || hasRest else { return false }
        if let bytes {
            let entry = DesktopEntry(bytes)
            guard entry.isOurs else {
                throw Refusal("\(path) is not from 'crosstie scheme' (\(entry.summary)), and stays")
            }
            if !place.isSystem {
                try files.changeDefaults { $0.drop(app.file) }
            }
            try files.remove(path)
        }
        try SchemeInstallation.removeService(app, place, files)
        try files.removeLink(place.link(app))
        try files.updateCache()
        return true
    }

    private func isOurService(_ place: SchemePlace) throws -> Bool {
        try WholeFile.read(place.serviceFile(application.app)).map(HandlerApplication.isOurService) ?? false
    }
}
