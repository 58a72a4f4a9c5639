/// The steps of an installation. After a crash between two of them, URLs open in the old or in the new way, and the
/// next installation completes the rest.
struct SchemeInstallation {
    let application: HandlerApplication
    let location: SchemeLocation
    let files: SchemeFiles
    /// The link that the path in `Exec` is.
    let link: String?
    /// The schemes whose URLs the application is to open by default.
    let preferred: [URLScheme]

    /// - Parameter replacesOthers: whether files that `crosstie scheme` has not written are replaced.
    func install(replacesOthers: Bool) throws {
        if !replacesOthers {
            try refuseOtherEntry()
            try refuseOtherService()
        }
        let app = application.app
        if let link, let program = application.linked { try files.link(link, to: program) }
        if application.isActivatable { try files.write(application.serviceFile, to: location.serviceFile(app)) }
        try files.write(application.desktopFile, to: location.desktopFile(app))
        if !application.isActivatable { try SchemeInstallation.removeService(app, location, files) }
        if link == nil { try files.removeLink(location.link(app)) }
        try files.updateCache()
        guard !location.isSystem else { return }
        let declared = application.schemes.map(\.text)
        try files.changeDefaults { defaults in
            defaults.drop(app.file, except: declared)
            for scheme in preferred { defaults.prefer(app.file, for: scheme.text) }
        }
    }

    /// Removes the service file of an application, unless it is another program's.
    static func removeService(_ app: ApplicationID, _ location: SchemeLocation, _ files: SchemeFiles) throws {
        if !files.isDry { WholeFile.removeUnfinished(location.serviceFile(app)) }
        guard let bytes = try WholeFile.read(location.serviceFile(app)), HandlerApplication.isOurService(bytes) else {
            return
        }
        try files.remove(location.serviceFile(app))
    }

    private func refuseOtherEntry() throws {
        let path = location.desktopFile(application.app)
        guard let bytes = try WholeFile.read(path) else { return }
        let entry = DesktopEntry(bytes)
        guard entry.isOurs else {
            throw Refusal("\(path) is not from 'crosstie scheme' (\(entry.summary)); --force replaces it")
        }
    }

    private func refuseOtherService() throws {
        let path = location.serviceFile(application.app)
        guard application.isActivatable, let bytes = try WholeFile.read(path),
            !HandlerApplication.isOurService(bytes)
        else { return }
        throw Refusal("\(path) is not from 'crosstie scheme'; --force replaces it")
    }
}
