internal import CPlatform

/// The way that most URLs take: straight down the tree by literals and parameters, where nothing has to be tried
/// again. Alternatives that it passes stay on the stack for a ``RouteSearch``, which goes on where it stops.
///
/// It is all inlined and keeps its state in registers. Its work is bounded by the URL's size, without a budget.
struct RouteDescent {
    let block: UnsafeMutablePointer<RouteBlock>
    let parts: UnsafeMutablePointer<URLParts>
    let segments: UnsafePointer<SegmentRange>
    let captures: UnsafeMutablePointer<SegmentRange>
    let frames: UnsafeMutablePointer<MatchFrame>
    /// Segments, with the host.
    let count: Int
    private let area: UnsafeRawPointer
    var position: RoutePosition
    var captureCount = 0
    var frameCount = 0

    @inline(__always)
    init(
        block: UnsafeMutablePointer<RouteBlock>, parts: UnsafeMutablePointer<URLParts>,
        segments: UnsafePointer<SegmentRange>, captures: UnsafeMutablePointer<SegmentRange>,
        frames: UnsafeMutablePointer<MatchFrame>, from scheme: RoutePosition
    ) {
        (self.block, self.parts, self.segments) = (block, parts, segments)
        (self.captures, self.frames, position) = (captures, frames, scheme)
        count = Int(parts.pointee.segmentCount) &+ 1
        area = UnsafeRawPointer(parts.pointee.area)
    }

    /// The route of a URL without escaped slashes, or `nil` where only a search finds out.
    @inline(__always)
    mutating func run() -> UInt32? {
        while position.at < count {
            guard literal() || parameter() else { return nil }
        }
        let value = block.value(of: position.reference)
        return value == 0 ? nil : value
    }

    @inline(__always)
    private mutating func literal() -> Bool {
        let reference = position.reference
        guard reference.hasLiteral else { return false }
        let range = segments[position.at]
        guard let next = block.literal(position, area + Int(range.offset), Int(range.length)) else {
            return false
        }
        if reference.hasAlternatives { push(.before) }
        position = next
        return true
    }

    /// Takes the plain parameter, unless others come before it.
    @inline(__always)
    private mutating func parameter() -> Bool {
        let reference = position.reference
        guard reference.hasParameter, !reference.hasBefore, segments[position.at].length > 0 else { return false }
        let word = cp_word_acquire((block.pointee.nodes + Int(reference.number)).parameterWord)
        guard word != 0 else { return false }
        if reference.hasAfter { push(.after) }
        captures[captureCount] = position.at == 0 ? parts.pointee.writtenHost : segments[position.at]
        captureCount &+= 1
        position = RoutePosition(
            reference: NodeReference(word: word), hash: position.hash.stepToParameter(),
            at: position.at &+ 1)
        return true
    }

    @inline(__always)
    private mutating func push(_ stage: MatchFrame.Stage) {
        frames[frameCount] = MatchFrame(position, stage, captures: captureCount)
        frameCount &+= 1
    }
}
