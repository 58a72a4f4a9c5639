internal import Glibc
import Synchronization

@testable import Crosstie

/// Threads that meet before each round, so that their steps race.
final class Crowd: Sendable {
    private let size: Int
    private let arrived = Atomic<Int>(0)
    private let left = Atomic<Int>(0)

    private init(_ size: Int) { self.size = size }

    /// Runs `body` with the round and the thread's number, on each thread in each round; `prepare` before a round and
    /// `check` after it, alone.
    static func run(
        _ size: Int, rounds: Int, prepare: @escaping @Sendable (Int) -> Void,
        _ body: @escaping @Sendable (Int, Int) -> Void, check: @escaping @Sendable (Int) -> Void
    ) {
        let crowd = Crowd(size)
        for thread in 0..<size {
            inThread {
                for round in 0..<rounds {
                    if thread == 0 { prepare(round) }
                    crowd.meet()
                    body(round, thread)
                    crowd.meet()
                    if thread == 0 { check(round) }
                }
                crowd.left.add(1, ordering: .acquiringAndReleasing)
            }
        }
        while crowd.left.load(ordering: .acquiring) < size { usleep(100) }
    }

    /// Returns when each thread has come here.
    private func meet() {
        let ticket = arrived.add(1, ordering: .acquiringAndReleasing).oldValue
        let last = (ticket / size + 1) * size
        while arrived.load(ordering: .acquiring) < last { sched_yield() }
    }
}
