import Synchronization

/// A request and its response: a pooled record at a stable address that holds everything a plain open needs, so that
/// nothing is allocated for it.
///
/// The same record holds, behind the struct, the ranges of the URL's segments, the captures, and the text (see
/// ``RequestBlock/Layout``). Threads race only for the types of `Request/State`.
package struct RequestBlock: ~Copyable {
    package let header: RecordHeader
    package let completionWord: CompletionWord
    package let references: ReferenceCount
    package let retainCount: RetainCount
    package let exposure: Exposure
    package let ownership: CompletionOwnership
    package let gate: Gate

    /// The origin in force.
    package var isLocal: Bool
    package var kind: RequestKind
    /// The caller's flags for the handler: `CTIE_REQUEST_…`.
    package var flags: UInt32
    /// The milliseconds that its deadline was set by: see ``TimeLimit``.
    var timeLimit: TimeLimit
    /// The latest time of its end, by the monotonic clock.
    package var deadline: UInt64
    /// Whether the completion may open URLs as a local caller: the trust of the request's caller and of the request that
    /// it was made for.
    package var isCallerTrusted: Bool
    package var isAsynchronous: Bool
    /// Whether a completion or a call reports the end of an asynchronous request to its caller.
    package var isObserved: Bool
    package var verdict: Verdict
    /// Whether it is in its pool's wheel, or among its bus's detached ones.
    package var isListed: Bool
    /// Whether its pool counts it among the unfinished ones; the claimant of the completion sees to that.
    package var isCounted: Bool
    package var isQueued: Bool
    /// Whether its extras have a progress listener or a loop.
    package var isFollowed: Bool
    /// Whether it is queued for its completion, and not for its handler.
    package var isQueuedForCompletion: Bool
    /// Whether its handler goes on although another thread has ended it, so that another worker may work instead.
    package var isAbandoned: Bool
    /// The number of workers that are running it. Only with their pool's lock, as the three before.
    package var workers: UInt8
    /// The dispatcher's index on its bus; 0 for the default one.
    package var dispatcher: UInt8
    /// `CTIE_PRIORITY_…`.
    package var priority: Int8
    /// Whether another thread than its caller's may be handling it.
    package var isShared: Bool
    package var isNearest: Bool
    package var captureCount: UInt8
    /// The number of segments, of the host and the path, that the route took.
    package var matchedSegments: UInt8
    /// The number of the request's own interceptors that have run, and of those of ``route``.
    package var ownStage: UInt16
    package var routeStage: UInt16
    /// The position of the last of its bus's interceptors that has run.
    package var busPosition: Int64
    /// The route whose interceptors have begun to run, and its handler.
    package var route: Handle
    package var routeHandler: Handle
    /// The rule by which it came.
    package var rule: LoadedRule?
    package var extras: RequestExtras?
    /// The source of the answer from another process for which the caller's thread waits. Only for that thread, and while
    /// ``hasWaitingCaller``: not among the extras, which another thread may make meanwhile.
    package var answerSource: (any AnswerSource)?

    package var status: Status
    package var code: Int32
    package var value: ValueRef
    package var message: ValueRef
    package var userInfo: ValueRef
    package var params: ValueRef

    let plainValueForm: PlainForm
    let plainUserInfoForm: PlainForm
    let plainParamsForm: PlainForm
    let callbacks: RequestCallbackList
    let kept: KeptValues

    package var bus: UnsafeMutablePointer<BusRecord>
    package var busHandle: Handle
    package var pattern: PatternInfo?
    /// Whether this block, and not its registration, keeps the pattern alive.
    package var keepsPattern: Bool
    /// The caller's runtime, whose lock it holds while it waits for a synchronous request.
    package var runtime: RuntimeLock?

    package var completion: CompletionFunction?
    package var completionContext: CallbackContext

    /// Neighbors in a pool or a queue; a block is in one of them at most.
    package var link: UnsafeMutablePointer<RequestBlock>?
    package var backLink: UnsafeMutablePointer<RequestBlock>?
    /// The position among those that wait with the same priority: see ``RequestQueue``.
    var turn: UInt64
    /// Neighbors in a slot of the pool's wheel, for an asynchronous request; among the bus's detached ones for
    /// another.
    package var liveLink: UnsafeMutablePointer<RequestBlock>?
    package var liveBackLink: UnsafeMutablePointer<RequestBlock>?

    package var parts: URLParts
    /// For requests without a URL: bytes of the names that take the text's room.
    package var targetSize: UInt16
    package var actionSize: UInt16
    var actionHash: UInt32
    /// For an event: the action of the component that it is for.
    var recipient: Handle
    /// Memory for a URL or names that do not fit the block.
    package var overflow: UnsafeMutableRawPointer?
}

extension RequestBlock {
    package typealias Pointer = UnsafeMutablePointer<RequestBlock>

    /// The offsets of the parts behind the struct, in bytes.
    package enum Layout {
        static var segments: Int { 512 }
        static var captures: Int { segments + 65 * MemoryLayout<SegmentRange>.stride }
        static var text: Int { captures + URLLimits.captures * MemoryLayout<SegmentRange>.stride + 12 }
        static var textCapacity: Int { stride - text }
        /// Bytes of a record.
        package static var stride: Int { 1600 }
    }

    /// The last stage's result, as far as the text of a failure needs it.
    package enum Verdict: UInt8 {
        case none, declined, privateScheme, privateRoute, exhausted
        /// Its dispatcher's queue was full.
        case crowded
        /// Its thread runs the most requests inside one another already.
        case nested
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

    /// Parses a URL into the block; one that does not fit gets memory of its own.
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

    /// Frees the memory of a URL that no other code has seen.
    func freeOverflow() {
        Memory.free(pointee.overflow)
        pointee.overflow = nil
    }

    @inline(__always)
    func withParts<Result>(_ body: (UnsafeMutablePointer<URLParts>) -> Result) -> Result {
        withUnsafeMutablePointer(to: &pointee.parts) { body($0) }
    }
}
