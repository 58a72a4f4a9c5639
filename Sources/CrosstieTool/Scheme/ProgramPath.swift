import Crosstie

/// The program that opens an application's URLs, and the path of it that a desktop file can have.
struct ProgramPath {
    /// The program.
    let program: String
    /// The pitfalls of the path.
    private(set) var warnings: [SchemeWarning] = []

    /// Throws a refusal for a path that cannot be started.
    init(_ given: String) throws {
        var program = given
        guard given.hasPrefix("/") else { throw Refusal("--exec: '\(given)' is not an absolute path") }
        if ProgramPath.isMounted(given) {
            guard let image = Environment.path("APPIMAGE") else {
                throw Refusal(
                    "--exec: '\(given)' is inside a mounted AppImage, which ends with its program; "
                        + "name the image's file")
            }
            program = image
            warnings.append(
                SchemeWarning(.appImage, "the program is inside a mounted AppImage; the image '\(image)' is used"))
        }
        guard !program.unicodeScalars.contains(where: \.steers) else {
            throw Refusal("--exec: '\(program)' has control characters")
        }
        guard DesktopTool.canRun(program) else { throw Refusal("--exec: '\(program)' is not a program that can run") }
        self.program = program
    }

    /// The path of this command for a desktop file. Throws a refusal for one that xdg-open cannot start.
    static func ownTool() throws -> String {
        guard let tool = WholeFile.target(of: "/proc/self/exe") else { throw Refusal("/proc/self/exe has no target") }
        guard tool.utf8.allSatisfy(DesktopText.isPlain) else {
            throw Refusal("--hand-off: the path '\(tool)' of this command has blanks, quotes or similar characters")
        }
        return tool
    }

    /// Whether the path means nothing to the desktop, xdg-open and the shell.
    var isPlain: Bool { program.utf8.allSatisfy(DesktopText.isPlain) }

    /// The path for a desktop file, and the symbolic link that it needs.
    func path(linkedBy link: String) -> (path: String, link: String?, warning: SchemeWarning?) {
        if isPlain { return (program, nil, nil) }
        let pitfall = "the path '\(program)' has blanks, quotes or similar characters: xdg-open 1.1.3 cannot start it"
        guard link.utf8.allSatisfy(DesktopText.isPlain) else {
            return (program, nil, SchemeWarning(.path, pitfall + ", nor a link at '\(link)', for the same reason"))
        }
        return (link, link, SchemeWarning(.path, "\(pitfall); the link '\(link)' leads there"))
    }

    /// Whether a path is in the temporary mount of an AppImage, or in the image that runs this command.
    private static func isMounted(_ path: String) -> Bool {
        if path.hasPrefix("/tmp/.mount_") { return true }
        guard Environment.path("APPIMAGE") != nil, let directory = Environment.path("APPDIR") else { return false }
        return path.hasPrefix(directory + "/")
    }
}
