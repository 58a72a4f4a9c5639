internal import CPlatform
internal import Glibc
import Synchronization

/// Makes a component's instance once, however many threads ask for it at a time. One of them runs the factory, with no
/// lock held; the others wait for it and share what it comes to. After a failure the next one to ask tries again.
final class InstanceMaker {
    private let factory: ComponentFactory
    /// The instance's address; 0 until it has been made.
    private let address = Atomic<UInt>(0)
    /// Odd while a thread makes it; the word that others sleep on, which lives as long as this.
    private let turn: UnsafeMutablePointer<Atomic<UInt32>>
    /// The address of that thread's slot.
    private let maker = Atomic<UInt>(0)

    init(_ factory: ComponentFactory) {
        self.factory = factory
        turn = .allocate(capacity: 1)
        turn.initialize(to: Atomic(0))
    }

    deinit {
        turn.deinitialize(count: 1)
        turn.deallocate()
    }

    var made: UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring))
    }

    /// The instance, and whether this very call has made it.
    ///
    /// - Parameters:
    ///   - deadline: how long another thread is waited for at most.
    ///   - runtime: the lock that this thread holds and releases while it waits.
    /// - Throws: *notAComponent* (the factory has failed), *deadlock* (this thread is making it), *timedOut*, *cancelled*.
    func instance(
        until deadline: UInt64, leaving runtime: RuntimeLock?
    ) throws(CrosstieError) -> (UnsafeMutableRawPointer, isFresh: Bool) {
        if let made { return (made, false) }
        let seen = turn.pointee.load(ordering: .acquiring)
        if seen & 1 == 0,
            turn.pointee.compareExchange(expected: seen, desired: seen &+ 1, ordering: .acquiring).exchanged
        {
            if let made {
                endTurn()
                return (made, false)
            }
            return (try make(), true)
        }
        let own = UInt(bitPattern: ThreadSlot.current)
        guard maker.load(ordering: .relaxed) != own else {
            throw CrosstieError(.deadlock, "its factory has called it")
        }
        try wait(while: seen | 1, until: deadline, leaving: runtime)
        guard let made else { throw CrosstieError(.notAComponent, "its factory has failed on another thread") }
        return (made, false)
    }

    private func make() throws(CrosstieError) -> UnsafeMutableRawPointer {
        maker.store(UInt(bitPattern: ThreadSlot.current), ordering: .relaxed)
        defer {
            maker.store(0, ordering: .relaxed)
            endTurn()
        }
        var outcome: Result<UnsafeMutableRawPointer, CrosstieError>?
        ThreadSlot.current.withCallback { outcome = Result { () throws(CrosstieError) in try factory.create() } }
        guard let instance = try outcome?.get() else { throw CrosstieError(.notAComponent, "its factory has not run") }
        address.store(UInt(bitPattern: instance), ordering: .releasing)
        return instance
    }

    private func endTurn() {
        turn.pointee.add(1, ordering: .acquiringAndReleasing)
        _ = cp_futex_wake(turn, Int32.max, false)
    }

    private func wait(
        while word: UInt32, until deadline: UInt64, leaving runtime: RuntimeLock?
    ) throws(CrosstieError) {
        let end =
            runtime?.without { asWaitingWorker { sleep(while: word, until: deadline) } }
            ?? asWaitingWorker { sleep(while: word, until: deadline) }
        switch end {
        case .over: return
        case .late:
            throw CrosstieError(
                .timedOut, "its factory runs on another thread, and has not returned before the deadline")
        case .unwanted: throw CrosstieError(.cancelled, "")
        }
    }

    private func asWaitingWorker(_ body: () -> WaitEnd) -> WaitEnd {
        ThreadSlot.current.pointee.pool?.whileWaiting(body) ?? body()
    }

    private func sleep(while word: UInt32, until deadline: UInt64) -> WaitEnd {
        let slot = ThreadSlot.current
        while turn.pointee.load(ordering: .acquiring) == word {
            let longest = slot.longestSleep
            guard deadline != Clock.never || longest != nil else {
                _ = cp_futex_wait(turn, word, nil, false)
                continue
            }
            let now = Clock.now()
            guard now < deadline else { return .late }
            let span = min(deadline - now, longest ?? .max)
            var time = timespec(tv_sec: Int(span / 1_000_000_000), tv_nsec: Int(span % 1_000_000_000))
            let failure = cp_futex_wait(turn, word, &time, false)
            if failure == ETIMEDOUT || failure == EINTR, slot.isWaitUnwanted() { return .unwanted }
        }
        return .over
    }

    /// Ends the instance; no code may be using it any more.
    func end() {
        guard let instance = made else { return }
        ThreadSlot.current.withCallback { factory.end(instance) }
    }
}
