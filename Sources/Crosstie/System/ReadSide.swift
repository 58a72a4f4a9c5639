internal import CPlatform
internal import Glibc
import Synchronization

/// The asymmetric read side: readers mark a short section with two plain stores, and writers pay for
/// it with `membarrier`, which puts a full fence on every running thread.
///
/// A writer makes an object unreachable, then calls ``waitForReaders()``. When that returns, each thread that had found
/// the object has noted on its thread slot's stack that it runs it.
/// No host code runs inside a section.
package enum ReadSide {
    private static var unknown: UInt32 { 0 }
    private static var asymmetric: UInt32 { 1 }
    /// Where `membarrier` is refused, readers use sequentially consistent stores (+8 ns).
    private static var symmetric: UInt32 { 2 }

    static func choose() {
        #if CROSSTIE_TSAN
            // ThreadSanitizer knows nothing of `membarrier`.
            let mode = symmetric
        #else
            let mode = cp_membarrier_register() ? asymmetric : symmetric
        #endif
        ProcessState.current.pointee.barrier.store(mode, ordering: .relaxed)
    }

    @inline(__always)
    package static func enter(_ slot: UnsafeMutablePointer<ThreadSlot>) {
        slot.pointee.reading.store(slot.pointee.reading.value &+ 1)
        fence()
        SchedulePoint.pass()
    }

    @inline(__always)
    package static func leave(_ slot: UnsafeMutablePointer<ThreadSlot>) {
        SchedulePoint.pass()
        slot.pointee.reading.store(slot.pointee.reading.value &+ 1)
        SchedulePoint.drain()
    }

    /// Orders this thread's stores before its later loads, as seen by a writer that calls ``barrier()``.
    @inline(__always)
    package static func fence() {
        cp_compiler_fence()
        if ProcessState.current.pointee.barrier.load(ordering: .relaxed) == symmetric {
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            SchedulePoint.drain()
        }
    }

    /// The writer's half of ``fence()``.
    package static func barrier() {
        SchedulePoint.pass()
        guard ProcessState.current.pointee.barrier.load(ordering: .relaxed) != symmetric else {
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            return
        }
        pace()
        SchedulePoint.drainAll()
        if !cp_membarrier() { atomicMemoryFence(ordering: .sequentiallyConsistent) }
    }

    /// The cost of a barrier to all running threads together, in nanoseconds; a burst of barriers is not paced.
    private static var barrierSpacing: UInt64 { 60_000 }
    private static var barrierBurst: UInt64 { 1_024 }

    /// Delays a thread that removes without pause: `membarrier` interrupts every running thread of the process, which
    /// would take more than half of the readers' time. Each barrier pays for a span of time, and a thread that is a
    /// burst ahead of the clock sleeps (the generic cell rate algorithm, ITU-T I.371).
    private static func pace() {
        let state = ProcessState.current
        let burst = barrierBurst &* barrierSpacing
        let now = Clock.now()
        var paid = state.pointee.barriersPaid.load(ordering: .relaxed)
        while true {
            let next = max(paid, now) &+ barrierSpacing
            let (won, seen) = state.pointee.barriersPaid.compareExchange(
                expected: paid, desired: next, ordering: .relaxed)
            if won {
                let ahead = next &- now
                if ahead > burst { Clock.sleep(nanoseconds: Int(ahead &- burst)) }
                return
            }
            paid = seen
        }
    }

    /// Returns when every read section that was open at the call has ended. Sections are short; a
    /// section of this thread itself must not be open.
    package static func waitForReaders() {
        barrier()
        var candidate = ThreadSlot.newest
        while let slot = candidate {
            let seen = slot.pointee.reading.seenByOthers
            var rounds = 0
            while seen & 1 == 1, slot.pointee.reading.seenByOthers == seen {
                rounds += 1
                if rounds > 100 { sched_yield() }
            }
            SchedulePoint.pass()
            candidate = ThreadSlot.older(than: slot)
        }
    }

    /// Whether any thread runs a callback of a registration, after ``barrier()``.
    package static func isRunning(_ registration: UInt32) -> Bool {
        var candidate = ThreadSlot.newest
        while let slot = candidate {
            if slot.isRunning(registration) { return true }
            candidate = ThreadSlot.older(than: slot)
        }
        return false
    }
}
