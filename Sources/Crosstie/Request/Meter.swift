import Synchronization

/// The counts of the requests to one handler, by kind.
final class Meter: Sendable {
    let name: String
    /// The number of registrations that have it.
    private let holders = Atomic<Int>(0)
    nonisolated(unsafe) private let counters: UnsafeMutablePointer<Counters>

    private struct Counters: ~Copyable {
        let started = Atomic<Int64>(0)
        let ended = Atomic<Int64>(0)
        let failed = Atomic<Int64>(0)
        let nanoseconds = Atomic<Int64>(0)
        let longest = Atomic<Int64>(0)
    }

    init(_ name: String) {
        self.name = name
        counters = .allocate(capacity: RequestKind.allCases.count)
        for index in RequestKind.allCases.indices { (counters + index).initialize(to: Counters()) }
    }

    deinit {
        counters.deinitialize(count: RequestKind.allCases.count)
        counters.deallocate()
    }

    /// Notes that the handler is about to start; the request's ending is counted here.
    func start(_ block: RequestBlock.Pointer) {
        counters(of: block.pointee.kind).pointee.started.wrappingAdd(1, ordering: .relaxed)
        _ = block.add(RequestCallback(.meter(self, since: Clock.now())))
    }

    /// Counts a request that is just ending; 0 for one whose handler has not been started.
    func count(_ block: RequestBlock.Pointer, since start: UInt64) {
        let counters = counters(of: block.pointee.kind)
        let span = Int64(truncatingIfNeeded: start == 0 ? 0 : Clock.now() &- start)
        counters.pointee.nanoseconds.wrappingAdd(span, ordering: .relaxed)
        counters.pointee.longest.max(span, ordering: .relaxed)
        if !block.pointee.status.isSuccess { counters.pointee.failed.wrappingAdd(1, ordering: .relaxed) }
        counters.pointee.ended.wrappingAdd(1, ordering: .releasing)
    }

    private func counters(of kind: RequestKind) -> UnsafeMutablePointer<Counters> {
        // There is one for each kind.
        counters + Int(kind.rawValue)
    }

    /// The counts of a kind; nil where no request has come by it.
    func stats(of kind: RequestKind) -> RequestStats? {
        let counters = counters(of: kind)
        let ended = counters.pointee.ended.load(ordering: .acquiring)
        guard ended > 0 || counters.pointee.started.load(ordering: .relaxed) > 0 else { return nil }
        return RequestStats(
            kind: kind, name: name, count: ended, failures: counters.pointee.failed.load(ordering: .relaxed),
            nanoseconds: counters.pointee.nanoseconds.load(ordering: .relaxed),
            longestNanoseconds: counters.pointee.longest.load(ordering: .relaxed))
    }

    func hold() { holders.wrappingAdd(1, ordering: .relaxed) }

    func letGo() { holders.wrappingSubtract(1, ordering: .relaxed) }

    /// Whether it has counted nothing, and never will.
    var isForgotten: Bool {
        holders.load(ordering: .relaxed) == 0 && RequestKind.allCases.allSatisfy { stats(of: $0) == nil }
    }
}
