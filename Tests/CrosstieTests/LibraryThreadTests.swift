internal import Glibc
import Testing

@testable import Crosstie

/// The wait of a fork for the threads of the library, without a fork.
@Suite(.serialized) struct LibraryThreadTests {
    private let isThere = Flag(), shallGo = Flag(), isOver = Flag()

    /// Starts a thread of the library, which runs the body, and inside that this function's wait.
    private func start(_ body: @escaping @Sendable (() -> Void) -> Void) {
        let (isThere, shallGo, isOver) = (isThere, shallGo, isOver)
        inThread {
            LibraryThread.begin("test")
            body {
                isThere.set()
                shallGo.wait()
            }
            isOver.set()
        }
        isThere.wait()
    }

    private func end() {
        shallGo.set()
        isOver.wait()
    }

    private func canFork() -> Bool {
        defer { LibraryThread.endFork() }
        return LibraryThread.beginFork()
    }

    @Test func aForkWaitsForAThreadThatWorks() {
        start { $0() }
        #expect(!canFork())
        end()
    }

    /// Threads of other tests may be at work for a moment.
    @Test func aForkDoesNotWaitForAThreadThatSleeps() {
        start { LibraryThread.rest($0) }
        #expect((0..<1000).contains { _ in canFork() })
        end()
    }

    @Test func aForkDoesNotWaitForACallback() {
        start { ThreadSlot.current.withCallback($0) }
        #expect((0..<1000).contains { _ in canFork() })
        end()
    }

    /// Nobody ends this fork before the thread has ended, which waits for it as long as it may: 100 ms.
    @Test func aThreadThatWakesWaitsForTheForkButNotForEver() {
        start { LibraryThread.rest($0) }
        LibraryThread.beginFork()
        let begin = Clock.now()
        end()
        #expect(Clock.now() - begin >= 100_000_000)
        LibraryThread.endFork()
    }

    /// It is no thread that a fork waits for, before and after its sleep.
    @Test func aThreadOfTheHostJustSleeps() {
        let (isThere, shallGo, isOver) = (isThere, shallGo, isOver)
        inThread {
            LibraryThread.rest {}
            isThere.set()
            shallGo.wait()
            isOver.set()
        }
        isThere.wait()
        #expect((0..<1000).contains { _ in canFork() })
        end()
    }
}
