import Synchronization

/// The host's retains of a request, and whether its handler or an interceptor is running.
///
/// The request's handle is valid while either holds. A request that is neither running nor retained has nobody left to
/// end it, so the thread that takes away the last of the two ends it.
package struct RetainCount: ~Copyable, Sendable {
    private let word = Atomic<UInt32>(0)

    private static var countMask: UInt32 { 0xFFFF }
    private static var running: UInt32 { 1 << 16 }
    /// Set by each retain, and cleared when the next handler or interceptor starts.
    private static var retainedSinceStart: UInt32 { 1 << 17 }

    /// The most retains that can be counted.
    static var maximum: UInt32 { countMask }

    /// The result of ``retain()``.
    enum Retain {
        /// Nobody retained the request before.
        case first
        case again
        /// The request is neither running nor retained: its handle is not valid.
        case notHeld
        case tooMany
    }

    /// The result of ``release()``.
    enum Release {
        /// The request is still running or retained.
        case held
        /// The request was held by this retain alone.
        case last
        /// There is no retain to release.
        case notRetained
    }

    /// Prepares a fresh record.
    @inline(__always)
    func reset() { word.store(0, ordering: .relaxed) }

    // MARK: - Retains

    func retain() -> Retain {
        var seen = word.load(ordering: .relaxed)
        while true {
            guard seen & (Self.running | Self.countMask) != 0 else { return .notHeld }
            guard seen & Self.countMask < Self.maximum else { return .tooMany }
            let (won, now) = word.compareExchange(
                expected: seen, desired: (seen + 1) | Self.retainedSinceStart, ordering: .acquiringAndReleasing)
            if won { return seen & Self.countMask == 0 ? .first : .again }
            seen = now
        }
    }

    func release() -> Release {
        var seen = word.load(ordering: .relaxed)
        while true {
            guard seen & Self.countMask != 0 else { return .notRetained }
            let (won, now) = word.compareExchange(
                expected: seen, desired: seen - 1, ordering: .acquiringAndReleasing)
            if won { return (seen - 1) & (Self.running | Self.countMask) == 0 ? .last : .held }
            seen = now
        }
    }

    /// Whether the request is running or retained, so that its handle is valid.
    @inline(__always)
    var isHeld: Bool { word.load(ordering: .relaxed) & (Self.running | Self.countMask) != 0 }

    @inline(__always)
    var isRetained: Bool { word.load(ordering: .acquiring) & Self.countMask != 0 }

    // MARK: - Running

    /// Notes that a handler or an interceptor starts, beside what an earlier one may have retained.
    @inline(__always)
    func startRunning() {
        if word.load(ordering: .relaxed) == 0 {
            word.store(Self.running, ordering: .relaxed)
        } else {
            word.bitwiseAnd(~Self.retainedSinceStart, ordering: .acquiringAndReleasing)
            word.bitwiseOr(Self.running, ordering: .acquiringAndReleasing)
        }
    }

    /// Notes that a retained request runs again, on the thread that lets it go on.
    func resumeRunning() { word.bitwiseOr(Self.running, ordering: .acquiringAndReleasing) }

    /// Notes that the request has ceased to run. Returns whether somebody retains it.
    @discardableResult
    func stopRunning() -> Bool {
        let left = word.bitwiseAnd(~Self.running, ordering: .acquiringAndReleasing).newValue
        return left & Self.countMask != 0
    }

    /// Does the same without a read-modify-write if the request was never retained. Returns false otherwise, and changes
    /// nothing then.
    @inline(__always)
    func stopRunningUnretained() -> Bool {
        guard word.load(ordering: .acquiring) == Self.running else { return false }
        word.store(0, ordering: .relaxed)
        return true
    }

    /// Whether the word has anything to clear: false for a request that never ran.
    var isUsed: Bool { word.load(ordering: .relaxed) != 0 }

    /// Whether the request has been retained since its handler or interceptor started, also if it was released again.
    var wasRetainedSinceStart: Bool { word.load(ordering: .acquiring) & Self.retainedSinceStart != 0 }

    /// Whether the request runs and has not been retained since its handler or interceptor started.
    var isRunningUnretained: Bool {
        word.load(ordering: .acquiring) & (Self.running | Self.retainedSinceStart) == Self.running
    }
}
