package import CCrosstie
import Synchronization

/// A host's own transport: the functions that its header describes, and nowhere else called. Their results are not
/// trusted.
package final class HostTransport: @unchecked Sendable {
    let functions: ctie_transport
    let context: UnsafeMutableRawPointer?
    private let isDestroyed = Atomic(false)
    private let closingDeadline = Atomic(UInt64.max)
    private var calls = HostCalls(of: "transport")
    private var largestCommit = UInt64.max

    /// Nanoseconds that a step may take on a thread without a deadline. Set before any other use.
    var timeout: UInt64 {
        get { calls.timeout }
        set { calls.timeout = newValue }
    }

    package init(_ functions: ctie_transport, context: UnsafeMutableRawPointer?) {
        self.functions = functions
        self.context = context
    }

    /// Throws `invalid` when a function is missing.
    func check() throws(CrosstieError) {
        guard functions.version != nil, functions.scan != nil, functions.commit != nil else {
            throw CrosstieError(.invalidArgument, "a transport needs version, scan and commit", at: "options.transport")
        }
        guard (functions.join == nil) == (functions.members == nil) else {
            throw CrosstieError(
                .invalidArgument, "a transport has both join and members, or none", at: "options.transport")
        }
        guard functions.flags & ~UInt32(CTIE_TRANSPORT_REPLICATED) == 0, functions.reserved == 0 else {
            throw CrosstieError(.invalidArgument, "the transport has unknown flags", at: "options.transport.flags")
        }
    }

    var canWatch: Bool { functions.watch != nil }

    var knowsMembers: Bool { functions.members != nil }

    var canGet: Bool { functions.get != nil }

    var isReplicated: Bool { functions.flags & UInt32(CTIE_TRANSPORT_REPLICATED) != 0 }

    // MARK: Limits

    /// Asks the transport for its limits.
    /// - Throws: *limitExceeded* when a message of that size is too large for a commit.
    func adoptLimits(maximumValueSize: Int) throws(CrosstieError) {
        guard let limits = functions.limits else { return }
        var given = ctie_transport_limits()
        given.size = MemoryLayout<ctie_transport_limits>.size
        try call("limits") { limits(context, &given) }
        guard given.max_commit_size != 0 else { return }
        largestCommit = given.max_commit_size
        // A message may be stored twice: as the current one and in the queue.
        let most = (largestCommit &- min(largestCommit, HostTransport.commitOverhead)) / 2
        guard UInt64(clamping: maximumValueSize) <= most else {
            throw CrosstieError(
                .limitExceeded,
                "the transport's commits have at most \(largestCommit) bytes, which leaves \(most) for a value, not \(maximumValueSize)",
                at: "options.max_value_size")
        }
    }

    /// Bytes of a commit beside the values: headers, names, counts.
    private static var commitOverhead: UInt64 { 16 << 10 }

    func requireRoom(for changes: [HostChange]) throws(CrosstieError) {
        guard largestCommit != .max else { return }
        let size = changes.reduce(0) { $0 &+ UInt64(clamping: $1.key.count &+ $1.record.count) }
        guard size <= largestCommit else {
            throw CrosstieError(.limitExceeded, "the step has \(size) bytes, and the transport takes \(largestCommit)")
        }
    }

    // MARK: Time

    /// The deadline of a step that begins now.
    var deadline: UInt64 { min(calls.deadline, closingDeadline.load(ordering: .relaxed)) }

    /// Has all that follows, on any thread, end by a time.
    func endBy(_ deadline: UInt64) { closingDeadline.store(deadline, ordering: .relaxed) }

    /// Begins a step that others may wait for: it takes no longer than a span, or a second if that is less. Gives the
    /// argument of ``HostCalls/end(_:)``.
    @inline(never)
    func beginStep(_ span: UInt64) -> UInt64 {
        let slot = ThreadSlot.current
        let outer = slot.callDeadline
        slot.callDeadline = min(slot.end(of: max(span, HostTransport.shortestSpan)), deadline)
        return outer
    }

    /// Nanoseconds that any step has: a server may be far away.
    private static var shortestSpan: UInt64 { 1_000_000_000 }

    /// Milliseconds, at least one.
    func left(until deadline: UInt64) throws(CrosstieError) -> Int64 { try calls.left(until: deadline) }

    /// Releases the host's context; once, however often it is called.
    package func destroy() {
        guard !isDestroyed.exchange(true, ordering: .acquiringAndReleasing), let destroy = functions.destroy else {
            return
        }
        calls.call { destroy(context) }
    }

    // MARK: Calling

    /// Calls a function, which is there, and takes its answer. Its arguments are the caller's responsibility.
    @inline(__always)
    func call(_ name: StaticString, _ body: () -> ctie_status?) throws(CrosstieError) { try calls.call(name, body) }
}
