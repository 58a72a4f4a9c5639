import Synchronization

/// The slots of a bus's single callbacks: the index of each one's registration, 0 for an empty slot. Changed with the
/// bus's lock.
package struct CallbackSlots: ~Copyable {
    private let log = Atomic<UInt32>(0)
    private let unmatched = Atomic<UInt32>(0)
    private let navigator = Atomic<UInt32>(0)
    private let systemOpener = Atomic<UInt32>(0)
    private let performerFallback = Atomic<UInt32>(0)
    private let elsewhere = Atomic<UInt32>(0)

    package func holder(of slot: CallbackSlot) -> UInt32 {
        switch slot {
        case .log: log.load(ordering: .acquiring)
        case .unmatched: unmatched.load(ordering: .acquiring)
        case .navigator: navigator.load(ordering: .acquiring)
        case .systemOpener: systemOpener.load(ordering: .acquiring)
        case .performerFallback: performerFallback.load(ordering: .acquiring)
        case .elsewhere: elsewhere.load(ordering: .acquiring)
        }
    }

    /// Puts another registration into a slot; returns the one before.
    func give(_ slot: CallbackSlot, to index: UInt32) -> UInt32 {
        switch slot {
        case .log: log.exchange(index, ordering: .acquiringAndReleasing)
        case .unmatched: unmatched.exchange(index, ordering: .acquiringAndReleasing)
        case .navigator: navigator.exchange(index, ordering: .acquiringAndReleasing)
        case .systemOpener: systemOpener.exchange(index, ordering: .acquiringAndReleasing)
        case .performerFallback: performerFallback.exchange(index, ordering: .acquiringAndReleasing)
        case .elsewhere: elsewhere.exchange(index, ordering: .acquiringAndReleasing)
        }
    }
}
