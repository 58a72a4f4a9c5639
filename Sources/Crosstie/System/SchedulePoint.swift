#if CROSSTIE_DELAYS
    internal import CPlatform
    internal import Glibc
    import Synchronization
#endif

/// Points between the steps that race: random pauses in a library that is built for tests with `CROSSTIE_DELAYS`
/// (`make delays`); in the shipped one nothing at all. docs/threading.md says what they find.
///
/// Each thread draws its pauses from a generator of its own, so that one seed gives every thread the same ones again.
package enum SchedulePoint {
    /// Pauses between two steps that another thread may come between.
    @inline(__always)
    package static func pass() {
        #if CROSSTIE_DELAYS
            pause()
        #endif
    }

    /// Lets other threads see, after a pause, what this one has stored late: see ``SlotWord``.
    @inline(__always)
    static func drain() {
        #if CROSSTIE_DELAYS
            pause()
            ThreadSlot.current.drain()
        #endif
    }

    /// The same for every thread: the effect of `membarrier`.
    @inline(__always)
    static func drainAll() {
        #if CROSSTIE_DELAYS
            var candidate = ThreadSlot.newest
            while let slot = candidate {
                slot.drain()
                candidate = ThreadSlot.older(than: slot)
            }
        #endif
    }
}

#if CROSSTIE_DELAYS
    extension SchedulePoint {
        /// One pause in two is none, one in 16 a sleep; the others are shorter than a system call or about as long.
        @inline(never)
        private static func pause() {
            let random = ThreadSlot.current.pointee.draw()
            switch random & 15 {
            case 0: Clock.sleep(nanoseconds: 50_000 + Int(random >> 32 & 0x1_FFFF))
            case 1, 2: sched_yield()
            case 3...7: for _ in 0..<(random >> 32 & 0x1FF) { cp_relax() }
            default: break
            }
        }

        /// The seed of a thread's generator: from `CTIE_DELAY_SEED`, read once, and the thread's number.
        static func seed() -> UInt64 {
            let number = threads.add(1, ordering: .relaxed).newValue
            return common &+ number &* 0xD1B5_4A32_D192_ED03
        }

        private static let common = getenv("CTIE_DELAY_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
        private static let threads = Atomic<UInt64>(0)
    }

    extension ThreadSlot {
        /// The next random number of the thread: SplitMix64.
        mutating func draw() -> UInt64 {
            randomState &+= 0x9E37_79B9_7F4A_7C15
            var mixed = randomState
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    extension UnsafeMutablePointer where Pointee == ThreadSlot {
        /// Stores in a processor's order: the depth of the callbacks before the end of the read section.
        func drain() {
            pointee.depth.drain()
            pointee.reading.drain()
            pointee.isAtWork.drain()
        }
    }
#endif
