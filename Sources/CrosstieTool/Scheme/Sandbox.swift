import Crosstie
@preconcurrency import Glibc

/// A sandbox whose applications cannot install desktop files; its package manager does it by a manifest.
enum Sandbox {
    case snap, flatpak

    /// The sandbox that this process runs in.
    static var current: Sandbox? {
        if Environment.value("SNAP") != nil { return .snap }
        if access("/.flatpak-info", F_OK) == 0 || Environment.value("FLATPAK_ID") != nil { return .flatpak }
        return nil
    }

    var name: String { self == .snap ? "Snap" : "Flatpak" }

    /// The lines for the desktop file and the manifest.
    func manifest(_ app: ApplicationID, _ schemes: [URLScheme]) -> [String] {
        let types = "MimeType=" + schemes.map { $0.mimeType + ";" }.joined()
        switch self {
        case .flatpak:
            return [
                "# in /app/share/applications/\(app.file)", types,
                "# in the manifest", "finish-args:", "  - --own-name=\(app.text)",
            ]
        case .snap:
            return [
                "# in snap/gui/\(app.file)", types,
                "# in snap/snapcraft.yaml", "slots:", "  bus-name:", "    interface: dbus", "    bus: session",
                "    name: \(app.text)",
            ]
        }
    }
}
