extension Wormhole {
    /// The abilities of a wormhole. A group on this machine has all that its location allows; an engine of a host may
    /// lack some.
    public struct Abilities: OptionSet, Sendable, Hashable {
        /// The bits of `CTIE_ENGINE_…`.
        public let rawValue: UInt32

        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Several messages are sent in one step.
        public static var atomicBatches: Abilities { Abilities(rawValue: 1) }
        /// Sending counts the processes that listen.
        public static var countingListeners: Abilities { Abilities(rawValue: 1 << 1) }
        /// ``Message/missed`` is exact; otherwise at least so many were missed, and 0 means that the number is not known.
        public static var exactMissed: Abilities { Abilities(rawValue: 1 << 2) }
        /// A sent message survives a power failure.
        public static var survivingPower: Abilities { Abilities(rawValue: 1 << 3) }
        /// ``SendOptions/token``.
        public static var tokens: Abilities { Abilities(rawValue: 1 << 4) }
        /// A message may wait for its time: ``SendOptions/delay`` and ``SendOptions/notBefore``.
        public static var scheduling: Abilities { Abilities(rawValue: 1 << 5) }
        /// ``Wormhole/forget(_:name:)``.
        public static var forgetting: Abilities { Abilities(rawValue: 1 << 6) }
        /// ``Wormhole/durables()``.
        public static var listingDurables: Abilities { Abilities(rawValue: 1 << 7) }
        /// ``Wormhole/seek(_:name:to:)``.
        public static var seeking: Abilities { Abilities(rawValue: 1 << 8) }
        /// ``Wormhole/declare(_:name:options:fromOldest:mayChange:)``.
        public static var declaring: Abilities { Abilities(rawValue: 1 << 9) }
        /// ``Wormhole/scheduled(_:)``.
        public static var listingScheduled: Abilities { Abilities(rawValue: 1 << 10) }
        /// ``Wormhole/cancelScheduled(_:)``.
        public static var cancelling: Abilities { Abilities(rawValue: 1 << 11) }
        /// Dead letters can be listed, retried and dropped.
        public static var deadLetters: Abilities { Abilities(rawValue: 1 << 12) }
        /// Buses can be joined through it.
        public static var joiningBuses: Abilities { Abilities(rawValue: 1 << 13) }
        /// ``Wormhole/send(many:options:)`` with ``SendOptions/isAtomic`` false.
        public static var batches: Abilities { Abilities(rawValue: 1 << 14) }

        /// Of every group that keeps records.
        static var ofStores: Abilities {
            [
                .atomicBatches, .countingListeners, .exactMissed, .tokens, .scheduling, .forgetting, .listingDurables,
                .seeking, .declaring, .listingScheduled, .cancelling, .deadLetters, .batches,
            ]
        }

        /// Those that an engine may claim.
        static var ofEngines: Abilities {
            [.atomicBatches, .countingListeners, .exactMissed, .survivingPower, .tokens, .scheduling]
        }
    }

    /// The abilities of this wormhole.
    ///
    /// - Throws: `closed`, `forked`.
    public var abilities: Abilities { get throws(CrosstieError) { try core.abilities() } }
}
