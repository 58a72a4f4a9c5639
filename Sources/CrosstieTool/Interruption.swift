@preconcurrency import Glibc
import Synchronization

/// The end of a command that runs until it has done enough, or a signal has arrived.
enum Interruption {
    nonisolated(unsafe) private static let semaphore: UnsafeMutablePointer<sem_t> = {
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
        return semaphore
    }()
    /// The signal that has arrived; 0 for none.
    private static let number = Atomic<Int32>(0)

    /// Ends the wait.
    static func come() { sem_post(semaphore) }

    static func wait() {
        while sem_wait(semaphore) != 0 {}
    }

    /// From here on a signal that would end the program ends the wait instead; ``follow()`` ends the program
    /// afterwards. A second signal, or five seconds without an effect of the first, end the program at once.
    static func heedSignals() {
        // Made here, because a signal handler must not allocate.
        _ = (semaphore, number.load(ordering: .relaxed))
        signal(SIGALRM) { _ in Interruption.follow() }
        for each in [SIGHUP, SIGINT, SIGTERM] {
            let before = signal(each) { number in
                signal(number, SIG_DFL)
                Interruption.number.store(number, ordering: .relaxed)
                alarm(5)
                Interruption.come()
            }
            // nohup(1) relies on that.
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(each, SIG_IGN) }
        }
    }

    /// Ends the program by the signal that has arrived, if any.
    static func follow() {
        let number = number.load(ordering: .relaxed)
        if number != 0 { kill(getpid(), number) }
    }
}
