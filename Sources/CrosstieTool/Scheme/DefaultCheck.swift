/// The answers of the desktop's tools to the question which application opens a scheme's URLs.
struct DefaultCheck {
    let app: ApplicationID
    let report: SchemeReport

    /// Warns about tools that are missing.
    static func warnOfMissingTools(_ report: SchemeReport) throws {
        let uses = [
            (DesktopTool.updateDatabase, "other programs may not find the application"),
            (.xdgMime, "'xdg-open' is missing, too, and the default is not checked by it"),
            (.gio, "the default is not checked by it"),
        ]
        for (tool, effect) in uses where tool.path == nil {
            let text = "'\(tool.name)' is missing (Debian: \(tool.package)): \(effect)"
            try report.warn(SchemeWarning(.missingTool, text))
        }
    }

    /// Whether every tool that is there finds the application.
    func isDefault(_ scheme: URLScheme) throws -> Bool {
        var isRight = true
        for (tool, name, find) in DefaultCheck.tools where tool.path != nil {
            let found = find(scheme)
            if found != app.file { isRight = false }
            try report.check(scheme.text, by: name, found: found, isRight: found == app.file)
        }
        return isRight
    }

    /// The desktop file's id that xdg-mime finds; empty for none.
    static func foundByXDG(_ scheme: URLScheme) -> String {
        (DesktopTool.xdgMime.output(["query", "default", scheme.mimeType]) ?? "").trimmedLine
    }

    /// The desktop file's id that gio finds; empty for none.
    static func foundByGIO(_ scheme: URLScheme) -> String {
        let line = (DesktopTool.gio.output(["mime", scheme.mimeType]) ?? "").trimmedLine
        guard let colon = line.lastIndex(of: ":") else { return "" }
        return line[line.index(after: colon)...].trimmed
    }

    private static let tools: [(DesktopTool, String, @Sendable (URLScheme) -> String)] = [
        (.xdgMime, "xdg-mime", { foundByXDG($0) }), (.gio, "gio", { foundByGIO($0) }),
    ]
}

extension String {
    /// The first line.
    fileprivate var trimmedLine: String { split(whereSeparator: \.isNewline).first.map(\.trimmed) ?? "" }
}
