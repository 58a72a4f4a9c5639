internal import CPlatform
internal import Glibc

/// Programs of the system, which are started without a shell.
enum Program {
    /// The state of a started program.
    enum State: Equatable {
        case running
        case exited(Int32)
        case killed(signal: Int32)
        /// It has ended, and another thread of this process has got its status.
        case ended
    }

    /// Starts a program in a session of its own, with no descriptor of the host but output and error.
    ///
    /// - Parameters:
    ///   - program: a path, or a name to be found on the PATH.
    ///   - arguments: without a NUL.
    ///   - input: what it reads; it has neither output nor error then, which it might keep open in the background.
    /// - Throws: *limitExceeded* (more text than a program can be given), *outOfMemory*, *systemFailure*.
    static func start(_ program: String, _ arguments: [String], input: Int32 = -1) throws(CrosstieError) -> pid_t {
        var words = [strdup(program)]
        for argument in arguments { words.append(strdup(argument)) }
        defer { for word in words { free(word) } }
        guard !words.contains(nil) else { throw CrosstieError(.outOfMemory, "") }
        words.append(nil)
        var child: pid_t = 0
        let failure = cp_spawn(program, words, input, &child)
        guard failure == 0 else {
            let reason = "\(program) could not be started: \(String(cString: strerror(failure)))"
            throw CrosstieError(failure == E2BIG ? .limitExceeded : .systemFailure, reason)
        }
        return child
    }

    /// Asks once; one that has ended is forgotten by the system then.
    static func state(of child: pid_t) -> State {
        var status: Int32 = 0
        let found = waitpid(child, &status, WNOHANG)
        guard found != 0 else { return .running }
        guard found > 0 else { return .ended }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
    }

    /// Where a program is: a path as it is, of a name the first on the PATH that can be run. Nil for none.
    static func find(_ name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return canRun(name) ? name : nil }
        let path = Environment.value("PATH") ?? "/bin:/usr/bin"
        for directory in path.utf8.split(separator: UInt8(ascii: ":")) {
            let candidate = "\(Substring(directory))/\(name)"
            if canRun(candidate) { return candidate }
        }
        return nil
    }

    private static func canRun(_ path: String) -> Bool {
        FileKind.of(path) == .file && access(path, X_OK) == 0
    }
}
