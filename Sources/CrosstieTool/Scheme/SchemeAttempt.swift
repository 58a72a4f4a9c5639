import ArgumentParser
import Crosstie
@preconcurrency import Glibc

/// URLs that are opened to see whether they arrive.
///
/// The tools see the user's defaults and, before the installed desktop file, a copy that starts this command instead of
/// the application. The copy is in a temporary directory, so nothing that is installed changes.
struct SchemeAttempt {
    let app: ApplicationID
    let location: SchemeLocation
    let report: SchemeReport

    private static var patience: Int { 5_000 }

    /// The end of a URL.
    private enum End {
        case arrived
        case failed(String)
        case late(String)
    }

    /// Opens a URL of each scheme by each tool. Throws the exit status if one does not arrive.
    func run(_ schemes: [URLScheme]) throws {
        let room = try AttemptRoom(app, schemes, copying: location.desktopFile(app))
        defer { room.remove() }
        var (hasFailed, isLate) = (false, false)
        for scheme in schemes {
            for (tool, arguments) in [(DesktopTool.xdgOpen, []), (.gio, ["open"])] {
                switch try open(scheme, tool, arguments, room) {
                case .arrived: try report.attempt(scheme.text, by: tool.name, problem: nil)
                case .failed(let problem):
                    hasFailed = true
                    try report.attempt(scheme.text, by: tool.name, problem: problem)
                case .late(let problem):
                    isLate = true
                    try report.attempt(scheme.text, by: tool.name, problem: problem)
                }
            }
        }
        if isLate { throw SchemeCommand.timedOut }
        if hasFailed { throw ExitCode.failure }
    }

    private func open(
        _ scheme: URLScheme, _ tool: DesktopTool, _ arguments: [String], _ room: AttemptRoom
    ) throws -> End {
        guard let path = tool.path else { return .failed("\(tool.name) is missing (Debian: \(tool.package))") }
        let hasDisplay = Environment.value("DISPLAY") != nil || Environment.value("WAYLAND_DISPLAY") != nil
        if tool.name == "xdg-open", !hasDisplay {
            return .failed("without DISPLAY and WAYLAND_DISPLAY xdg-open does not look for the application of a scheme")
        }
        let url = "\(scheme.text)://crosstie-try/\(UInt64.random(in: .min ... .max))"
        let deadline = Deadline(milliseconds: Self.patience)
        let environment = room.environment(location.directories)
        guard let child = ChildProgram(path, [tool.name] + arguments + [url], environment: environment) else {
            return .failed("\(tool.name) could not be started")
        }
        let end = wait(for: url, from: child, room, until: deadline)
        if case .arrived = end { _ = child.wait(until: Deadline(milliseconds: 1_000)) }
        child.end()
        return end
    }

    private func wait(for url: String, from child: ChildProgram, _ room: AttemptRoom, until deadline: Deadline) -> End {
        var other = "it did not arrive in \(Self.patience / 1000) s"
        while deadline.milliseconds > 0 {
            if let text = room.receive(milliseconds: min(50, deadline.milliseconds), until: deadline) {
                if text == url { return .arrived }
                other = "another URL arrived: \(text)"
            } else if let status = child.status, status != 0 {
                // It may have ended right after the application was started.
                if room.receive(milliseconds: 200, until: deadline) == url { return .arrived }
                return .failed("it ended with \(status), and the URL did not arrive")
            }
        }
        return .late(other)
    }
}
