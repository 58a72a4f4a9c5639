/// A program that was started, in a session of its own, with this process's output and error.
package struct StartedProgram {
    package let program: String
    private let child: Int32

    /// - Throws: *limitExceeded*, *outOfMemory*, *systemFailure*.
    package init(_ program: String) throws(CrosstieError) {
        self.program = program
        child = try Program.start(program, [])
    }

    /// The exit status, or 128 and the signal, if it has ended with a failure. May be asked once after the end.
    package var failure: Int32? {
        switch Program.state(of: child) {
        case .exited(let status) where status != 0: status
        case .killed(let signal): 128 &+ signal
        default: nil
        }
    }
}
