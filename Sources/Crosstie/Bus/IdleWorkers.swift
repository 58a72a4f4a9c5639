internal import CPlatform
internal import Glibc
import Synchronization

/// The workers of a pool that have nothing to do. Only with the pool's lock.
///
/// One is called at a time, the one that sleeps for the shortest time; it calls the next one if there is more than it
/// can take. Were each called for its own request, callers would do little else, and all would come to find the work
/// done.
struct IdleWorkers {
    private var sleepers: UnsafeMutablePointer<ThreadSlot>?
    private var sleeping = 0
    /// Those that were called and have not come yet.
    private var called = 0
    /// Those that look for work and do not sleep yet.
    var spinning = 0

    @inline(__always)
    var count: Int { sleeping &+ called &+ spinning }

    mutating func add(_ slot: UnsafeMutablePointer<ThreadSlot>) {
        slot.pointee.isCalled.store(0, ordering: .relaxed)
        slot.pointee.nextSleeper = sleepers
        sleepers = slot
        sleeping += 1
    }

    /// A worker to call for the queued work, to be woken after the lock is released; nil if none is needed or idle.
    @inline(__always)
    mutating func call(for queued: Int) -> UnsafeMutablePointer<ThreadSlot>? {
        guard queued > 0, spinning == 0, called == 0 else { return nil }
        return callNext()
    }

    mutating func callNext() -> UnsafeMutablePointer<ThreadSlot>? {
        guard let slot = sleepers else { return nil }
        sleepers = slot.pointee.nextSleeper
        sleeping -= 1
        called += 1
        slot.pointee.isCalled.store(1, ordering: .releasing)
        return slot
    }

    /// After its sleep. False when nobody has called.
    mutating func leave(_ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        guard slot.pointee.isCalled.load(ordering: .relaxed) == 0 else {
            called -= 1
            return true
        }
        if sleepers == slot {
            sleepers = slot.pointee.nextSleeper
        } else {
            var other = sleepers
            while let each = other, each.pointee.nextSleeper != slot { other = each.pointee.nextSleeper }
            other?.pointee.nextSleeper = slot.pointee.nextSleeper
        }
        sleeping -= 1
        return false
    }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// The word that changes from zero when the worker is called.
    var word: UnsafeRawPointer { UnsafeRawPointer(self) + ThreadSlot.callWord }

    /// Sleeps until it is called, or the deadline.
    func sleep(until deadline: UInt64) {
        while pointee.isCalled.load(ordering: .acquiring) == 0 {
            let now = Clock.now()
            guard now < deadline else { return }
            let left = deadline - now
            var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            _ = cp_futex_wait(word, 0, &time, false)
        }
    }

    /// After ``IdleWorkers/call(for:)``. Slots are never freed: it may have come by itself meanwhile.
    func wake() { _ = cp_futex_wake(word, 1, false) }
}
