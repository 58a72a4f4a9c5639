internal import Glibc

/// The thread that runs the host's callbacks of a join, so that one that blocks does not keep the join from receiving.
/// It is started with the first.
final class CallbackThread: @unchecked Sendable {
    private let lock = Lock()
    private let condition = Condition()
    // Guarded by the lock.
    private var jobs: [() -> Void] = []
    private var thread: pthread_t?
    private var isStopping = false

    deinit {
        condition.free()
        lock.free()
    }

    /// Runs a job after those before it. False, and nothing, where there is no thread any more.
    @discardableResult
    func add(_ job: @escaping () -> Void) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard !isStopping else { return false }
        if thread == nil { start() }
        guard thread != nil else { return false }
        jobs.append(job)
        condition.signal()
        return true
    }

    private func start() {
        var fresh = pthread_t()
        let context = CallbackContext(holding: self)
        let failure = LibraryThread.start(&fresh, context.pointer) { raw in
            let context = CallbackContext(adopting: raw)
            CallbackContext.object(raw, as: CallbackThread.self)?.run()
            context.destroy()
            return nil
        }
        if failure == 0 { thread = fresh } else { context.destroy() }
    }

    private func run() {
        LibraryThread.begin("crosstie")
        while let job = next() { job() }
    }

    private func next() -> (() -> Void)? {
        lock.lock()
        defer { lock.unlock() }
        while jobs.isEmpty {
            if isStopping { return nil }
            _ = LibraryThread.rest { condition.wait(lock) }
        }
        return jobs.removeFirst()
    }

    /// Ends the thread after the jobs that it has; waits for it unless this is the one, or inside a callback.
    func stop(waiting: Bool) {
        lock.lock()
        isStopping = true
        let thread = thread
        self.thread = nil
        condition.signal()
        lock.unlock()
        guard let thread else { return }
        let joins = waiting && pthread_equal(thread, pthread_self()) == 0
        if joins { pthread_join(thread, nil) } else { pthread_detach(thread) }
    }
}
