internal import Glibc

/// The thread that delivers the progress of calls to peers, so that a callback that blocks does not keep the join from
/// receiving. It is started with the first progress.
final class ProgressThread: @unchecked Sendable {
    private let lock = Lock()
    private let condition = Condition()
    // Guarded by the lock.
    private var calls: [OutgoingCall] = []
    private var peers: [Peer] = []
    private var thread: pthread_t?
    private var isStopping = false

    deinit {
        condition.free()
        lock.free()
    }

    /// Delivers the progress of a call; nothing without a thread.
    func deliver(_ call: OutgoingCall) {
        lock.lock()
        defer { lock.unlock() }
        guard !isStopping else { return }
        calls.append(call)
        // A call lives no longer than its peer, which it does not retain.
        peers.append(call.peer)
        if thread == nil { start() }
        condition.signal()
    }

    private func start() {
        var fresh = pthread_t()
        let context = CallbackContext(holding: self)
        let failure = LibraryThread.start(&fresh, context.pointer) { raw in
            let context = CallbackContext(adopting: raw)
            CallbackContext.object(raw, as: ProgressThread.self)?.run()
            context.destroy()
            return nil
        }
        if failure == 0 { thread = fresh } else { context.destroy() }
    }

    private func run() {
        while let (call, peer) = next() { peer.deliverProgress(of: call) }
    }

    private func next() -> (OutgoingCall, Peer)? {
        lock.lock()
        defer { lock.unlock() }
        while calls.isEmpty {
            if isStopping { return nil }
            _ = condition.wait(lock)
        }
        return (calls.removeFirst(), peers.removeFirst())
    }

    /// Ends the thread; waits for it unless this is the one, or inside a callback.
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
