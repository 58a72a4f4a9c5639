internal import Glibc
import Synchronization

/// A flag that closures and threads share.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }

    /// Returns when somebody has set it.
    func wait() { while !isSet { usleep(100) } }
}

/// A number that closures and threads share.
final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .acquiring) }
    func add(_ amount: Int = 1) { value.add(amount, ordering: .acquiringAndReleasing) }
}

/// Runs a closure on a thread of its own, which nobody waits for.
func inThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { raw in
            if let raw { Unmanaged<ThreadBody>.fromOpaque(raw).takeRetainedValue().run() }
            return nil
        }, Unmanaged.passRetained(ThreadBody(run: body)).toOpaque())
    pthread_detach(thread)
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
