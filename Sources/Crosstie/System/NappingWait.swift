/// A wait that looks again and again, with naps between.
struct NappingWait {
    private let slot = ThreadSlot.current
    private var next: UInt64

    init() { next = slot.longestSleep.map { Clock.now() &+ $0 } ?? Clock.never }

    /// Sleeps a moment. False when the host does not want this thread to wait any longer.
    mutating func nap() -> Bool {
        Clock.sleep(nanoseconds: 20_000)
        return !isUnwanted()
    }

    /// Asks the host now and then.
    mutating func isUnwanted() -> Bool {
        guard next != Clock.never, Clock.now() >= next else { return false }
        defer { next = Clock.now() &+ (slot.longestSleep ?? 0) }
        return slot.isWaitUnwanted()
    }
}
