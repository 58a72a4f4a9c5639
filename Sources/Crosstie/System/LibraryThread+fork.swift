internal import CPlatform
internal import Glibc

/// The library's threads rest while a thread of the host forks.
///
/// Swift's runtime creates the description of a type at its first use, under locks of its own. A child that is forked at
/// that moment finds such a lock held for ever, and hangs at its own first use. So a fork waits until each thread of the
/// library sleeps or runs a callback, and a thread that wakes meanwhile waits for the end of the fork. Neither waits for
/// long: a thread may be busy with what the forking one holds.
extension LibraryThread {
    /// The most that a fork waits for the threads, and that a thread waits for forks, in nanoseconds.
    private static var patience: (fork: UInt64, thread: UInt64) { (20_000_000, 100_000_000) }

    /// The first act of each thread that lives for longer than one task.
    package static func begin(_ name: String) {
        cp_name_thread(name)
        work(ThreadSlot.current)
    }

    /// Sleeps. The body makes a system call, and uses nothing for the first time. A thread of the host just sleeps.
    @inline(__always)
    package static func rest<Result>(_ sleep: () -> Result) -> Result {
        let slot = ThreadSlot.current
        guard slot.pointee.isAtWork.value != 0 else { return sleep() }
        slot.pointee.isAtWork.store(0)
        SchedulePoint.drain()
        defer { work(slot) }
        return sleep()
    }

    @inline(__always)
    private static func work(_ slot: UnsafeMutablePointer<ThreadSlot>) {
        slot.pointee.isAtWork.store(1)
        ReadSide.fence()
        if ProcessState.current.pointee.forking.load(ordering: .relaxed) > 0 { letFork(slot) }
    }

    @inline(never)
    private static func letFork(_ slot: UnsafeMutablePointer<ThreadSlot>) {
        let end = Clock.now() &+ patience.thread
        repeat {
            slot.pointee.isAtWork.store(0)
            SchedulePoint.drain()
            Clock.sleep(nanoseconds: 20_000)
            slot.pointee.isAtWork.store(1)
            ReadSide.fence()
        } while ProcessState.current.pointee.forking.load(ordering: .relaxed) > 0 && Clock.now() < end
    }

    // MARK: The thread that forks

    /// Before a fork. True if all threads rest.
    @discardableResult
    package static func beginFork() -> Bool {
        ProcessState.current.pointee.forking.add(1, ordering: .sequentiallyConsistent)
        ReadSide.barrier()
        let end = Clock.now() &+ patience.fork
        let own = cp_thread_slot()?.assumingMemoryBound(to: ThreadSlot.self)
        var slot = ThreadSlot.newest
        while let each = slot {
            while each != own, each.isBusyForLibrary {
                guard Clock.now() < end else { return false }
                Clock.sleep(nanoseconds: 20_000)
            }
            slot = ThreadSlot.older(than: each)
        }
        return true
    }

    /// After it, in the parent.
    package static func endFork() { ProcessState.current.pointee.forking.subtract(1, ordering: .relaxed) }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// Whether it is a thread of the library that runs code of the library.
    fileprivate var isBusyForLibrary: Bool {
        pointee.isAtWork.seenByOthers != 0 && pointee.depth.seenByOthers == 0
    }
}
