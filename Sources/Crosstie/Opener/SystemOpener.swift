internal import CPlatform
internal import Glibc

/// Opens URLs by a program of the system: `xdg-open`, or what the host has named.
enum SystemOpener {
    /// Ends a request by starting the program with its URL's normal form. The program's own end is not waited for.
    static func open(_ block: RequestBlock.Pointer) {
        let parts = block.pointee.parts
        let url = String(decoding: parts.text(parts.normalForm), as: UTF8.self)
        do throws(CrosstieError) {
            let program = try BusRecord.withState(block.pointee.busHandle) { _, state in state.openerPolicy.program }
            let child = try start(program, url)
            // Who has closed the bus meanwhile leaves a child that nobody asks after.
            try? BusRecord.withState(block.pointee.busHandle) { _, state in state.children.add(child) }
            _ = block.end(.ok, code: Status.ok.code)
        } catch {
            block.end(error.status == .handle ? .closed : error.status, message: error.message)
        }
    }

    private static func start(_ program: String, _ url: String) throws(CrosstieError) -> pid_t {
        var child: pid_t = 0
        let failure = cp_spawn(program, url, &child)
        guard failure == 0 else {
            throw CrosstieError(.system, "\(program) could not be started: \(String(cString: strerror(failure)))")
        }
        return child
    }
}

/// Programs that were started and may have ended. No thread waits for them: they are asked after when the next one
/// is started and when the bus closes.
struct ChildProcesses {
    private var running: [pid_t] = []

    mutating func add(_ child: pid_t) {
        reap()
        running.append(child)
    }

    /// Lets the system forget those that have ended, or that somebody else has waited for.
    mutating func reap() {
        running.removeAll { child in
            var status: Int32 = 0
            return waitpid(child, &status, WNOHANG) != 0
        }
    }
}
