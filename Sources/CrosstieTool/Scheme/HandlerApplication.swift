/// An application that opens URLs, as its desktop file describes it.
struct HandlerApplication {
    /// The first line of a D-Bus service file of ours.
    static let serviceMark = "# Written by 'crosstie scheme install'."

    let app: ApplicationID
    let name: String
    let icon: String?
    let schemes: [URLScheme]
    /// The path that starts the program.
    let path: String
    /// The program where `Exec` starts another path: a link to it, or the tool that hands URLs over; else nil.
    let linked: String?
    /// The path of the tool that hands URLs to the running instance; nil if the program itself gets them.
    let tool: String?
    let isInMenu: Bool
    let isActivatable: Bool

    /// The content of the desktop file.
    var desktopFile: [UInt8] {
        var lines = [
            "[Desktop Entry]", "Type=Application", "Name=\(DesktopText.escaped(name))",
            "Exec=\(tool.map { DesktopText.exec($0, ["open", "--hand-off", app.text]) } ?? DesktopText.exec(path))",
        ]
        if let icon { lines.append("Icon=\(DesktopText.escaped(icon))") }
        lines.append("MimeType=" + schemes.map { $0.mimeType + ";" }.joined())
        if !isInMenu { lines.append("NoDisplay=true") }
        lines.append("StartupNotify=true")
        if isActivatable { lines.append("DBusActivatable=true") }
        lines.append("X-Crosstie=1")
        if let linked { lines.append("X-Crosstie-Program=\(DesktopText.escaped(linked))") }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// The content of the file by which the session bus starts the application.
    var serviceFile: [UInt8] {
        let lines = [Self.serviceMark, "[D-BUS Service]", "Name=\(app.text)", "Exec=\(DesktopText.word(path))"]
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    static func isOurService(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array(serviceMark.utf8)) }
}
