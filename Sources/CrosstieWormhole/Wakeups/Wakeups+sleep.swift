internal import CPlatform
internal import Glibc
import Synchronization

/// Sleeping until a notification, or until a writer dies that should have sent one.
extension Wakeups {
    /// The state by which a sleeper detects that a writer died between its commit and its notification; read before
    /// looking into the store.
    var writerWatch: WriterWatch {
        let deaths = word(WakeupsLayout.deathCountOffset).pointee.load(ordering: .sequentiallyConsistent)
        let locks = wakeLocks
        return WriterWatch(wakeLocks: (cp_robust_load(locks.0), cp_robust_load(locks.1)), deaths: deaths)
    }

    /// Whether a living writer is between its commit and its waking, or about to commit.
    var isAnnouncing: Bool {
        isHeldByLiving(wakeLocks.0) || isHeldByLiving(wakeLocks.1)
    }

    private func isHeldByLiving(_ lock: UnsafeMutableRawPointer) -> Bool {
        let word = cp_robust_load(lock)
        return word & UInt32(FUTEX_TID_MASK) != 0 && !cp_robust_owner_died(word)
    }

    /// Notes that the last owner of a wake lock died. Called by its next owner, before the next commit.
    func countDeath() { word(WakeupsLayout.deathCountOffset).pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// Watches the wakeup of a slot for 5 microseconds, because another process may be about to answer the last
    /// message; true if the slot is notified. Only if the slot is the only listener to the last delivered hash, and
    /// another core notified it: on the same core no process could notify it meanwhile.
    func isNotifiedSoon(slot: Int, wakeup seen: UInt32, hash: UInt64) -> Bool {
        let wakeup = wakeup(slot)
        guard mask(Wakeups.bucketOffset(hash)) == MemberMask(slot),
            notifyingCore(slot).pointee.load(ordering: .relaxed) != cp_core()
        else { return false }
        let end = Clock.now() &+ 5_000
        repeat {
            for _ in 0..<8 {
                if wakeup.pointee.load(ordering: .acquiring) != seen { return true }
                cp_relax()
            }
        } while Clock.now() < end
        return false
    }

    /// Sleeps until the slot is notified, a writer dies, a second has passed, or it is `wakeTime`. `wakeup` and `watch`
    /// were read before looking into the store; if they have changed since, it does not sleep.
    func sleep(slot: Int, wakeup seen: UInt32, watch: WriterWatch, until wakeTime: UInt64) {
        let wakeup = wakeup(slot)
        let now = Clock.now()
        let span = wakeTime > now ? min(wakeTime &- now, 1_000_000_000) : 0
        guard span > 0 else { return }
        guard
            wakeup.pointee.compareExchange(expected: seen, desired: seen | 1, ordering: .sequentiallyConsistent)
                .exchanged
        else { return }
        defer { wakeup.pointee.bitwiseAnd(~1, ordering: .sequentiallyConsistent) }
        var outcome: Int32
        repeat {
            let watched = writerWatch
            if watched.showsDeath(since: watch) { return }
            outcome = wait(for: UnsafeRawPointer(wakeup), seen | 1, watched, span)
            // Other writers may start and finish meanwhile; nothing has to be done for them.
        } while outcome == -EAGAIN && wakeup.pointee.load(ordering: .sequentiallyConsistent) == seen | 1
        // The kernel wakes one of the threads that watch a writer; that thread notifies instead of it.
        if outcome > 0 { notifyForDeadWriter() }
    }

    private func wait(
        for wakeup: UnsafeRawPointer, _ expected: UInt32, _ watched: WriterWatch, _ span: UInt64
    ) -> Int32 {
        let locks = wakeLocks
        return LibraryThread.rest {
            cp_wait_three(
                cp_watched(word: wakeup, expected: expected),
                cp_watched(word: cp_robust_word(locks.0), expected: watched.wakeLocks.0),
                cp_watched(word: cp_robust_word(locks.1), expected: watched.wakeLocks.1),
                span)
        }
    }
}

extension Wakeups {
    /// The states of the wake locks, and the number of their owners that have died.
    struct WriterWatch {
        let wakeLocks: (UInt32, UInt32)
        let deaths: UInt64

        /// Of a transport without such writers.
        static var none: WriterWatch { WriterWatch(wakeLocks: (0, 0), deaths: 0) }

        /// Whether a writer has died since that has no successor yet.
        func showsDeath(since before: WriterWatch) -> Bool {
            let isSame = deaths == before.deaths
            return cp_robust_owner_died(wakeLocks.0) && !(isSame && wakeLocks.0 == before.wakeLocks.0)
                || cp_robust_owner_died(wakeLocks.1) && !(isSame && wakeLocks.1 == before.wakeLocks.1)
        }
    }
}
