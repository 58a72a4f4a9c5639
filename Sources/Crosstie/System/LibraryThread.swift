package import Glibc

/// The library's own threads: how all of them start.
package enum LibraryThread {
    package typealias Main = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    /// Starts a thread that leaves signals to the host's own threads. Only what a thread's own fault raises stays
    /// open: blocked, it would kill the process past the host's handler, and runtimes live by such handlers.
    ///
    /// - Returns: zero, or why there is no thread.
    package static func start(_ thread: inout pthread_t, _ context: UnsafeMutableRawPointer?, _ main: Main) -> Int32 {
        var (masked, before) = (sigset_t(), sigset_t())
        sigfillset(&masked)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS] { sigdelset(&masked, fault) }
        pthread_sigmask(SIG_SETMASK, &masked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return pthread_create(&thread, nil, main, context)
    }
}
