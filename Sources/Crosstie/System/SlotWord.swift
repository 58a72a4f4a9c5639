import Synchronization

/// A word that one thread stores and others look at.
///
/// A plain store may be in its processor's store buffer while the thread already reads on; `membarrier` makes sure that
/// it is not. The real buffers are empty after some nanoseconds, before any test could see what goes wrong without the
/// barrier. So a library built with `CROSSTIE_DELAYS` has a store buffer of its own for each word: other threads see a
/// late store when the thread drains it, or a barrier does.
package struct SlotWord: ~Copyable {
    #if CROSSTIE_DELAYS
        /// The word, below a count of its changes: a newer one is never followed by an older.
        private let own = Atomic<UInt64>(0)
        private let seen = Atomic<UInt64>(0)
    #else
        private let own = Atomic<UInt32>(0)
    #endif

    /// As its own thread sees it.
    @inline(__always)
    package var value: UInt32 { UInt32(truncatingIfNeeded: own.load(ordering: .relaxed)) }

    /// As other threads see it, with all that the thread had done before.
    @inline(__always)
    package var seenByOthers: UInt32 {
        #if CROSSTIE_DELAYS
            UInt32(truncatingIfNeeded: seen.load(ordering: .acquiring))
        #else
            own.load(ordering: .acquiring)
        #endif
    }

    /// Stores the word; only its own thread may.
    @inline(__always)
    package func store(_ value: UInt32) {
        #if CROSSTIE_DELAYS
            let changes = own.load(ordering: .relaxed) >> 32 &+ 1
            own.store(changes << 32 | UInt64(value), ordering: .releasing)
        #else
            own.store(value, ordering: .releasing)
        #endif
    }

    #if CROSSTIE_DELAYS
        /// Lets other threads see the word; any thread may.
        func drain() {
            let newest = own.load(ordering: .acquiring)
            var before = seen.load(ordering: .relaxed)
            while before >> 32 < newest >> 32 {
                let (won, now) = seen.compareExchange(
                    expected: before, desired: newest, ordering: .acquiringAndReleasing)
                if won { return }
                before = now
            }
        }
    #endif
}
