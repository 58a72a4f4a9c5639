internal import Glibc
import Synchronization

/// The gate between an interceptor and the stages behind it: it opens once for each interceptor, at the interceptor's
/// return or, if a host keeps the request, later and on any thread.
package struct Gate: ~Copyable, Sendable {
    private let state = Atomic<GateState>(.none)

    /// The result of ``claim(unless:)``.
    enum Claim: Equatable {
        /// The caller has the gate, which was *running* or *kept*.
        case won(GateState)
        /// No interceptor has had the request.
        case notIntercepted
        /// The request has passed the gate or ended.
        case tooLate
    }

    /// The result of ``leave()``.
    enum Leave {
        /// The interceptor has let the request go on.
        case granted
        /// The gate is *leaving*: the caller has to stop running and to ``keep()`` it.
        case leaving
    }

    /// Prepares a fresh record.
    @inline(__always)
    func reset() { state.store(.none, ordering: .relaxed) }

    /// Notes that an interceptor starts.
    func startInterceptor() { state.store(.running, ordering: .relaxed) }

    /// Whether no interceptor has the request: a handler does, or nobody yet.
    var isPassable: Bool {
        switch state.load(ordering: .acquiring) {
        case .none, .passed: true
        case .running, .granted, .kept, .claimed, .leaving: false
        }
    }

    // MARK: - Letting the request go on

    /// Claims the gate, so that no other thread lets the request go on. Waits for a thread that has it for a moment.
    func claim(unless isEnding: () -> Bool) -> Claim {
        while true {
            if let claim = tryToClaim(unless: isEnding) { return claim }
            sched_yield()
        }
    }

    /// Tries that once. Nil while another thread has the gate.
    func tryToClaim(unless isEnding: () -> Bool) -> Claim? {
        var seen = state.load(ordering: .acquiring)
        while true {
            switch seen {
            case .none: return .notIntercepted
            case .claimed, .leaving: return nil
            case .granted, .passed: return .tooLate
            case .running, .kept: if isEnding() { return .tooLate }
            }
            let (won, now) = state.compareExchange(
                expected: seen, desired: .claimed, ordering: .acquiringAndReleasing)
            if won { return .won(seen) }
            seen = now
        }
    }

    /// Gives back a claimed gate as it was.
    func restore(_ before: GateState) { state.store(before, ordering: .releasing) }

    /// Lets the request go on when the interceptor returns; after a claim that found it *running*.
    func grant() { state.store(.granted, ordering: .releasing) }

    /// Lets the request go on now; after a claim that found it *kept*.
    func pass() { state.store(.passed, ordering: .releasing) }

    // MARK: - After the interceptor

    /// Passes the gate of a request that nobody retains. Returns whether the interceptor has let it go on.
    func passIfGranted() -> Bool { state.exchange(.passed, ordering: .acquiringAndReleasing) == .granted }

    /// Passes the gate of a request that somebody retains, or begins to leave it. Waits for a thread that has it for a
    /// moment.
    func leave() -> Leave {
        while true {
            if let leave = tryToLeave() { return leave }
            sched_yield()
        }
    }

    /// Tries that once. Nil while another thread has the gate.
    func tryToLeave() -> Leave? {
        switch state.load(ordering: .acquiring) {
        case .running:
            let (won, _) = state.compareExchange(
                expected: .running, desired: .leaving, ordering: .acquiringAndReleasing)
            return won ? .leaving : nil
        case .granted:
            state.store(.passed, ordering: .releasing)
            return .granted
        case .claimed: return nil
        // The interceptor's thread alone makes these of a running one, and it is the caller.
        case .none, .kept, .passed, .leaving: return nil
        }
    }

    /// Leaves a gate that is *leaving* to those that retain the request.
    func keep() { state.store(.kept, ordering: .releasing) }
}
