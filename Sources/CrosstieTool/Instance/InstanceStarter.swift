import Crosstie
@preconcurrency import Glibc

/// The program of an application, which is started once if no instance runs.
final class InstanceStarter {
    private let app: ApplicationID
    private let given: String?
    private var child: StartedProgram?

    init(app: ApplicationID, program: String?) { (self.app, given) = (app, program) }

    /// Starts the program, or checks that it still may become an instance. It is started without URLs: they are handed
    /// to it as to any other instance.
    ///
    /// - Throws: *notFound* where no program is known; *notInstalled* where it could not be started, or failed.
    func start() throws(CrosstieError) {
        if let child {
            guard let status = child.failure else { return }
            throw CrosstieError(
                .notInstalled, "no instance of \(app.text) runs: \(child.program) ended with status \(status)")
        }
        let program = try program()
        do throws(CrosstieError) {
            child = try StartedProgram(program)
        } catch {
            throw CrosstieError(.notInstalled, error.message)
        }
    }

    private func program() throws(CrosstieError) -> String {
        if let given { return given }
        let lookup = (try? XDGDirectories()).map { SchemeLookup(directories: $0) }
        guard let path = lookup?.path(of: app.file), let bytes = try? WholeFile.read(path) else {
            throw CrosstieError(
                .notFound,
                "no instance of \(app.text) runs, and no desktop file \(app.file) is installed; --exec names a program")
        }
        let program = DesktopEntry(bytes).program
        // A desktop file that names this command would start it for ever.
        guard !program.isEmpty, WholeFile.target(of: "/proc/self/exe") != program else {
            throw CrosstieError(.notFound, "no instance of \(app.text) runs, and \(path) does not name its program")
        }
        return program
    }
}
