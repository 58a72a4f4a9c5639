import Synchronization

/// One request and its response: a pooled record at a stable address that holds everything a plain
/// open needs, so that nothing is allocated for it.
///
/// Behind the struct lie, in the same record, the ranges of the URL's segments, the captures, and the
/// text (see ``RequestBlock/Layout``).
package struct RequestBlock: ~Copyable {
    package let header: RecordHeader
    /// How far the ending has come: see ``Ending``. The word that waiters sleep on.
    package let ending: Atomic<UInt32>
    /// Who still needs the record: the pipeline, the response, the call, each retain.
    package let references: Atomic<UInt32>
    /// The host's retains, and whether its handler is running: see ``Holding``.
    package let holding: Atomic<UInt32>
    /// Which of the response's and the call's handles are out: see ``View``.
    package let views: Atomic<UInt32>
    /// How many workers have an asynchronous request, queued or in hand. The last one that leaves sees to the
    /// completion of one that has ended; once none has it, whoever ends it does.
    package let attendants: Atomic<UInt32>
    /// How many threads, or items of its loop, are just telling its progress. Its completion comes after that.
    package let tellers: Atomic<UInt32>
    /// What the interceptor that has the request does with it: see ``Passage``.
    package let passage: Atomic<UInt32>
    /// Whether somebody has taken on running the completion.
    package let isCompletionClaimed: Atomic<Bool>

    /// The origin in force.
    package var isLocal: Bool
    package var kind: RequestKind
    /// What the caller said that the handler may ask for: `CTIE_REQUEST_…`.
    package var flags: UInt32
    /// The milliseconds that its deadline was set by: see ``TimeLimit``.
    var timeLimit: TimeLimit
    /// When it ends at the latest, by the monotonic clock.
    package var deadline: UInt64
    /// Whether what the completion opens may be local: the trust of whoever made the request,
    /// and of the request it was made for.
    package var isCallerTrusted: Bool
    package var isAsynchronous: Bool
    /// Whether a completion or a call lets its caller hear how an asynchronous request ends.
    package var isHeard: Bool
    package var verdict: Verdict
    /// Whether it is in its pool's wheel, or among its bus's detached ones.
    package var isListed: Bool
    /// Whether its pool counts it among the unfinished ones; whoever has claimed the completion sees to that.
    package var isCounted: Bool
    package var isQueued: Bool
    /// Whether its detour has somebody who hears its progress, or a loop.
    package var isFollowed: Bool
    /// Whether it is queued to be completed, and not to be run.
    package var isQueuedForCompletion: Bool
    /// Whether its handler goes on though it was ended by somebody else, so that another worker may work instead.
    package var isAbandoned: Bool
    /// How many workers are running it just now. Only with their pool's lock, as the three before.
    package var workers: UInt8
    /// The dispatcher's index on its bus; 0 for the default one.
    package var dispatcher: UInt8
    /// `CTIE_PRIORITY_…`.
    package var priority: Int8
    /// Whether another thread than its caller's may be handling it.
    package var isShared: Bool
    package var isNearest: Bool
    package var captureCount: UInt8
    /// Of the host and the path's segments, those that the route took.
    package var matchedSegments: UInt8
    /// How many of the request's own interceptors have run, and of those of ``route``.
    package var ownStage: UInt16
    package var routeStage: UInt16
    /// The place of the last of its bus's interceptors that has run.
    package var busPlace: Int64
    /// The route whose interceptors have begun to run, and who handles it.
    package var route: Handle
    package var routeHandler: Handle
    /// The rule by which it came.
    package var rule: LoadedRule?
    package var detour: RequestDetour?

    package var status: Status
    package var code: Int32
    package var value: ValueRef
    package var message: ValueRef
    package var userInfo: ValueRef
    package var params: ValueRef

    /// The words of ``value``, ``userInfo`` and ``params`` without foreign values in them, made when somebody asks; 0
    /// until then.
    package let plainValue: Atomic<UInt>
    package let plainUserInfo: Atomic<UInt>
    package let plainParams: Atomic<UInt>
    /// Who wants to know of the ending: see ``RequestCallback``.
    package let callbacks: Atomic<UInt>
    /// Values that the request had before: see ``KeptValue``.
    package let kept: Atomic<UInt>

    package var bus: UnsafeMutablePointer<BusRecord>
    package var busHandle: Handle
    package var pattern: PatternInfo?
    /// Whether this block, and not its registration, keeps the pattern alive.
    package var keepsPattern: Bool
    /// The caller's runtime, whose lock it holds while it waits for a synchronous request.
    package var runtime: RuntimeLock?

    package var completion: CompletionFunction?
    package var completionContext: CallbackContext

    /// Neighbours in a pool or a queue; a block is in one of them at most.
    package var link: UnsafeMutablePointer<RequestBlock>?
    package var backLink: UnsafeMutablePointer<RequestBlock>?
    /// Neighbours in a slot of the pool's wheel, for an asynchronous request; among the bus's detached ones for
    /// another.
    package var liveLink: UnsafeMutablePointer<RequestBlock>?
    package var liveBackLink: UnsafeMutablePointer<RequestBlock>?

    package var parts: URLParts
    /// For requests without a URL: bytes of the names that stand in the text's place.
    package var targetSize: UInt16
    package var actionSize: UInt16
    var actionHash: UInt32
    /// Memory for a URL or names that do not fit the block.
    package var overflow: UnsafeMutableRawPointer?
}

extension RequestBlock {
    package typealias Pointer = UnsafeMutablePointer<RequestBlock>

    /// Where what follows the struct lies in the record, in bytes.
    package enum Layout {
        /// The futex word of ``RequestBlock/ending``; a test compares it with the field's address.
        package static var endingWord: Int { MemoryLayout<RecordHeader>.stride }
        static var segments: Int { 512 }
        static var captures: Int { segments + 65 * MemoryLayout<SegmentRange>.stride }
        static var text: Int { captures + URLLimits.captures * MemoryLayout<SegmentRange>.stride + 12 }
        static var textCapacity: Int { stride - text }
        /// Bytes of a record.
        package static var stride: Int { 1600 }
    }

    /// The last stage's result, as far as the words for a failure need it.
    package enum Verdict: UInt8 {
        case none, declined, privateScheme, privateRoute, exhausted
        /// Its dispatcher's queue was full; all workers of its dispatcher wait.
        case crowded, starved
    }

    package enum Ending {
        package static var open: UInt32 { 0 }
        /// Somebody has claimed the ending and is writing the response.
        package static var claimed: UInt32 { 1 }
        package static var ended: UInt32 { 2 }
        /// Added by whoever sleeps on the word.
        package static var waiter: UInt32 { 4 }
        /// Added by whoever puts a callback on the request.
        static var attended: UInt32 { 8 }
        /// Added to *ended* where a callback may have changed the status of one that was cancelled.
        static var cancelled: UInt32 { 16 }

        /// How far it has come, without what is added.
        static var stage: UInt32 { 3 }
    }

    package enum Holding {
        package static var countMask: UInt32 { 0xFFFF }
        package static var running: UInt32 { 1 << 16 }
        package static var everRetained: UInt32 { 1 << 17 }
    }

    package enum View {
        /// How many responses are out.
        package static var responseMask: UInt32 { 0xFFFF }
        package static var call: UInt32 { 1 << 16 }
        /// The response is lent to its completion.
        package static var completion: UInt32 { 1 << 17 }
        /// The response is lent to a callback that may change it.
        static var change: UInt32 { 1 << 18 }
    }

    /// The block of a live handle of a request, a response or a call.
    @inline(__always)
    package static func resolve(_ handle: Handle, _ kind: HandleKind) -> Resolved<RequestBlock> {
        ProcessState.current.pointee.requests.resolve(handle, kind, as: RequestBlock.self, stride: Layout.stride)
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    private var base: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }

    @inline(__always)
    package var segments: UnsafeMutablePointer<SegmentRange> {
        (base + RequestBlock.Layout.segments).assumingMemoryBound(to: SegmentRange.self)
    }

    @inline(__always)
    package var captures: UnsafeMutablePointer<SegmentRange> {
        (base + RequestBlock.Layout.captures).assumingMemoryBound(to: SegmentRange.self)
    }

    /// Parses a URL into the block; what does not fit gets memory of its own.
    @inline(__always)
    package func parse(_ url: UnsafeRawBufferPointer, isForeign: Bool = false) -> ParseResult {
        let text = base + RequestBlock.Layout.text
        let result = parse(url, into: text, RequestBlock.Layout.textCapacity, isForeign)
        guard case .needs(let bytes) = result else { return result }
        return parseIntoOverflow(url, bytes, isForeign)
    }

    private func parseIntoOverflow(_ url: UnsafeRawBufferPointer, _ bytes: Int, _ isForeign: Bool) -> ParseResult {
        guard let memory = Memory.allocate(bytes) else { return .needs(bytes) }
        pointee.overflow = memory
        return parse(url, into: memory, bytes, isForeign)
    }

    /// - Parameter isForeign: a constant, so that the plain way does not pay.
    @inline(__always)
    private func parse(
        _ url: UnsafeRawBufferPointer, into area: UnsafeMutableRawPointer, _ capacity: Int, _ isForeign: Bool
    ) -> ParseResult {
        withParts { parts in
            isForeign
                ? URLNormalizer.parse(
                    url, area: area, capacity: capacity, segments: segments, into: parts, isForeign: true)
                : parseURL(url, area: area, capacity: capacity, segments: segments, into: parts)
        }
    }

    /// Lets go of the memory of a URL that nobody has seen.
    func freeOverflow() {
        Memory.free(pointee.overflow)
        pointee.overflow = nil
    }

    @inline(__always)
    func withParts<Result>(_ body: (UnsafeMutablePointer<URLParts>) -> Result) -> Result {
        withUnsafeMutablePointer(to: &pointee.parts) { body($0) }
    }
}
