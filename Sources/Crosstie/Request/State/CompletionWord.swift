internal import CPlatform
internal import Glibc
import Synchronization

/// The completion of a request: one thread claims it, writes the response, and publishes it. Waiters sleep on the word.
package struct CompletionWord: ~Copyable, Sendable {
    private let word = Atomic<UInt32>(0)

    private static var open: UInt32 { 0 }
    /// A thread has claimed the completion and is writing the response.
    private static var claimed: UInt32 { 1 }
    private static var ended: UInt32 { 2 }
    /// The stage of the completion, without the other bits.
    private static var stage: UInt32 { 3 }
    /// Added by a thread before it sleeps on the word.
    private static var waiter: UInt32 { 4 }
    /// Added before a callback is put on the request.
    private static var observed: UInt32 { 8 }
    /// Added to *ended* where a callback may have changed the status of a request that was cancelled.
    private static var cancelled: UInt32 { 16 }

    /// The result of ``claim()``.
    struct Claim {
        fileprivate let before: UInt32

        /// Whether the caller has to write the response and to publish it.
        @inline(__always)
        var isWon: Bool { before & CompletionWord.stage == CompletionWord.open }

        /// Whether the request has callbacks, which see the response before it is published.
        @inline(__always)
        var isObserved: Bool { before & CompletionWord.observed != 0 }
    }

    /// Prepares a fresh record.
    @inline(__always)
    func reset() { word.store(Self.open, ordering: .relaxed) }

    // MARK: - How far it has come

    @inline(__always)
    var hasEnded: Bool { word.load(ordering: .acquiring) & Self.ended != 0 }

    /// Whether a thread has claimed the completion, and maybe published it.
    @inline(__always)
    var isClaimed: Bool { word.load(ordering: .acquiring) & Self.stage != Self.open }

    /// The same in one order with the counts of ``CompletionOwnership``.
    var isClaimedInOrder: Bool { word.load(ordering: .sequentiallyConsistent) & Self.stage != Self.open }

    /// Whether the completion was published as a cancelled one.
    var isMarkedCancelled: Bool { word.load(ordering: .acquiring) & Self.cancelled != 0 }

    /// Whether no thread has claimed, observed or waited for the completion, as far as this one knows.
    @inline(__always)
    var isUntouched: Bool { word.load(ordering: .relaxed) == Self.open }

    // MARK: - Completing

    /// Claims the completion. One claim alone is won.
    @inline(__always)
    func claim() -> Claim {
        var seen = Self.open
        while true {
            let (won, now) = word.compareExchange(
                expected: seen, desired: seen | Self.claimed, ordering: .acquiringAndReleasing)
            if won || now & Self.stage != Self.open { return Claim(before: now) }
            seen = now
        }
    }

    /// Publishes the response after a won claim, and wakes the waiters.
    @inline(__always)
    func publish() { publish(Self.ended) }

    /// The same for a request with callbacks.
    func publish(isCancelled: Bool) { publish(Self.ended | (isCancelled ? Self.cancelled : 0)) }

    @inline(__always)
    private func publish(_ after: UInt32) {
        let before = word.exchange(after, ordering: .sequentiallyConsistent)
        SchedulePoint.pass()
        if before & Self.waiter != 0 { wakeWaiters() }
    }

    /// Publishes the response after a won claim, where the only thread that could wait is this one.
    @inline(__always)
    func publishAlone() { word.store(Self.ended, ordering: .releasing) }

    /// Claims and publishes the completion where this thread alone knows the request: no read-modify-write is needed.
    /// Returns false, and changes nothing, if another thread or a callback has touched the word.
    @inline(__always)
    func completeAlone() -> Bool {
        guard isUntouched else { return false }
        word.store(Self.ended, ordering: .relaxed)
        return true
    }

    // MARK: - Observing

    /// The last moment for a callback.
    enum ObservationLimit {
        /// The callback may change the response: it has to come before the claim.
        case claimed
        case ended
    }

    /// Makes the thread that completes the request look at its callbacks. Returns false if the completion has come too
    /// far.
    func observe(before limit: ObservationLimit) -> Bool {
        while true {
            if let isObserved = tryToObserve(before: limit) { return isObserved }
            // The claimant has seen no callbacks and will not look again. It publishes in a moment.
            sched_yield()
        }
    }

    /// Tries that once. Nil while a claimant that has seen no callbacks is completing the request.
    func tryToObserve(before limit: ObservationLimit) -> Bool? {
        let late = limit == .claimed ? Self.stage : Self.ended
        var seen = word.load(ordering: .acquiring)
        while true {
            guard seen & late == 0 else { return false }
            guard seen & Self.observed == 0 else { return true }
            guard seen & Self.stage == Self.open else { return nil }
            let (won, now) = word.compareExchange(
                expected: seen, desired: seen | Self.observed, ordering: .acquiringAndReleasing)
            if won { return true }
            seen = now
        }
    }

    // MARK: - Waiting

    /// Waits until the response is published. The answer may arrive from a source, on which the thread then sleeps, too.
    func wait(until deadline: UInt64, from source: (any AnswerSource)? = nil) -> WaitEnd {
        let slot = ThreadSlot.current
        while !hasEnded {
            guard let seen = announceWaiter() else { return .over }
            SchedulePoint.pass()
            let now = Clock.now()
            guard now < deadline else { return hasEnded ? .over : .late }
            let left = deadline == Clock.never ? nil : deadline - now
            guard let longest = slot.longestSleep else {
                sleep(on: seen, nanoseconds: left, from: source)
                continue
            }
            let wasWoken = sleep(on: seen, nanoseconds: min(left ?? longest, longest), from: source)
            if !wasWoken, !hasEnded, slot.isWaitUnwanted() { return .unwanted }
        }
        return .over
    }

    /// Makes the thread that publishes wake the waiters. Returns the word to sleep on; nil if the response is published.
    func announceWaiter() -> UInt32? {
        let seen = word.bitwiseOr(Self.waiter, ordering: .acquiringAndReleasing).newValue
        return seen & Self.ended == 0 ? seen : nil
    }

    /// Returns false if the time was over, or a signal came.
    @discardableResult
    private func sleep(on seen: UInt32, nanoseconds: UInt64?, from source: (any AnswerSource)?) -> Bool {
        if let source { return withAddress { source.sleep(on: $0, seen: seen, nanoseconds: nanoseconds) } }
        let failure: Int32
        if let nanoseconds {
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            failure = withAddress { cp_futex_wait($0, seen, &time, false) }
        } else {
            failure = withAddress { cp_futex_wait($0, seen, nil, false) }
        }
        return failure != ETIMEDOUT && failure != EINTR
    }

    @inline(never)
    private func wakeWaiters() { withAddress { _ = cp_futex_wake($0, Int32.max, false) } }

    /// Runs `body` with the word's address: a value with an atomic in it is never moved while it is borrowed.
    func withAddress<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        withUnsafePointer(to: self) { body(UnsafeRawPointer($0)) }
    }
}
