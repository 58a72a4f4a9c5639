import ArgumentParser
import Crosstie
import CrosstieInstance

/// A hand-over of URLs to the first instance of an application, as the command line asks for it.
struct URLHandOver {
    let app: ApplicationID
    /// None to activate the application.
    let urls: [String]
    /// The program to start if no instance runs; nil for that of the desktop file.
    var program: String?
    /// In seconds; 0 for no limit.
    var timeout = 10.0
    var directory: String?
    var isJSON = false

    init(app: ApplicationID, urls: [String]) { (self.app, self.urls) = (app, urls) }

    /// Reads the command line of a desktop file without the argument parser, whose declarations take longer than the
    /// hand-over; nil for any other command line.
    init?(desktopArguments arguments: [String]) {
        guard arguments.count >= 4, arguments[1] == "open", arguments[2] == "--hand-off",
            let app = ApplicationID(argument: arguments[3]), !arguments[4...].contains(where: { $0.hasPrefix("-") })
        else { return nil }
        self.init(app: app, urls: Array(arguments[4...]))
    }

    /// Throws the exit status, with the reason on stderr.
    func run() throws {
        let answers = try handOver(InstanceStarter(app: app, program: program))
        if isJSON { for answer in answers { try Output.json(answer.map) } }
        guard let failure = answers.failure else { return }
        Output.complain("crosstie: \(failure)")
        throw failure.status == .timedOut ? ExitCode(ToolStatus.late) : .failure
    }

    private func handOver(_ starter: InstanceStarter) throws -> [HandedURL] {
        let location = try InstanceLocation(app.text, directory: directory)
        let deadline = Clock.deadline(milliseconds: timeout == 0 ? -1 : Int64(timeout * 1000))
        var way = HandOver(location, until: deadline) { () throws(CrosstieError) in
            if !location.isHeld { try starter.start() }
        }
        do throws(CrosstieError) {
            return try way.deliver(urls, Activation.ofProcess)
        } catch {
            guard error.status == .notFound || error.status == .notInstalled else { throw error }
            Output.complain("crosstie: \(error)")
            throw ExitCode(ToolStatus.nobody)
        }
    }
}
