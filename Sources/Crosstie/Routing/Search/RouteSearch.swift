/// One walk of a URL over the tree, best alternatives first, with a stack of the alternatives left.
struct RouteSearch {
    let block: UnsafeMutablePointer<RouteBlock>
    let parts: UnsafeMutablePointer<URLParts>
    /// The host and the path segments.
    let segments: UnsafePointer<SegmentRange>
    let captures: UnsafeMutablePointer<SegmentRange>
    let frames: UnsafeMutablePointer<MatchFrame>
    let area: UnsafeRawPointer
    /// The number of the URL's segments to be matched, with the host.
    var count: Int
    var skip: Int
    var captureCount = 0
    var frameCount = 0
    /// Visits and, for long texts, the work at them: no table makes one URL take longer than this allows.
    var steps = 0
    /// Captures that are UUIDs with upper-case letters.
    var upperUUIDs: UInt64 = 0
    /// Bit k: some route takes the URL's first k + 1 segments. For those that nothing takes as they are.
    var ancestors: UInt64 = 0

    static var budget: Int { 10_000 }

    /// Says that the budget has run out.
    static func exhaustion(of url: String) -> String {
        "matching \(url) takes more than \(budget) steps: too many patterns are alike"
    }

    init(after descent: RouteDescent, skip: Int) {
        (block, parts, segments) = (descent.block, descent.parts, descent.segments)
        (captures, frames, self.skip) = (descent.captures, descent.frames, skip)
        area = UnsafeRawPointer(parts.pointee.area)
        count = descent.count
        (captureCount, frameCount) = (descent.captureCount, descent.frameCount)
    }

    /// Goes on where a descent has stopped, or not begun.
    @inline(never)
    static func run(
        after descent: RouteDescent, from scheme: RoutePosition, skip: Int, nearest: Bool
    ) -> MatchResult {
        var search = RouteSearch(after: descent, skip: skip)
        if nearest { return search.nearest(from: scheme) }
        return search.walk(from: descent.position, noting: false) ?? search.last(scheme)
    }

    /// Walks the tree with the first ``count`` segments. `nil` when no route takes them.
    ///
    /// - Parameter noting: whether ``ancestors`` are noted on the way. A constant, so that exact matches do not pay.
    @inline(__always)
    mutating func walk(from start: RoutePosition, noting: Bool) -> MatchResult? {
        var position = start
        while true {
            steps &+= 1
            if position.at == count {
                if let value = accept(block.value(of: position.reference)) { return found(value) }
            } else {
                if noting { note(position) }
                if let next = straight(position) {
                    position = next
                    continue
                }
            }
            let next = nextAlternative(noting: noting)
            guard steps < Self.budget else { return MatchResult(.limit) }
            switch next {
            case .position(let next): position = next
            case .route(let value): return found(value)
            case nil: return nil
            }
        }
    }

    /// The first step to try from a position. The others are left on the stack.
    @inline(__always)
    private mutating func straight(_ from: RoutePosition) -> RoutePosition? {
        let reference = from.reference
        if let next = literal(from) {
            if reference.hasAlternatives { push(from, .before) }
            return next
        }
        if reference.hasBefore || reference.hasAfter {
            push(from, reference.hasBefore ? .before : .parameter)
            return nil
        }
        return reference.hasParameter ? parameter(of: node(reference.number), from.at) : nil
    }

    /// The last alternative, after the tree: the scheme's own route.
    @inline(never)
    mutating func last(_ scheme: RoutePosition) -> MatchResult {
        (captureCount, upperUUIDs, count) = (0, 0, 0)
        guard let value = accept(block.value(of: scheme.reference)) else { return MatchResult(.none) }
        return found(value)
    }

    /// The value, unless there is none or it is to be passed over.
    @inline(__always)
    private mutating func accept(_ value: UInt32) -> UInt32? {
        guard value != 0 else { return nil }
        guard skip > 0 else { return value }
        skip &-= 1
        return nil
    }

    @inline(__always)
    private func found(_ value: UInt32) -> MatchResult {
        if upperUUIDs != 0 { return lowerUUIDs(value) }
        return MatchResult(.found, value: value, captures: captureCount, segments: count)
    }

    @inline(__always)
    private mutating func literal(_ from: RoutePosition) -> RoutePosition? {
        guard from.reference.hasLiteral, !isEscaped(from.at) else { return nil }
        let range = segments[from.at]
        if range.length > 16 { steps &+= Int(range.length) &>> 6 }
        return block.literal(from, area + Int(range.offset), Int(range.length))
    }

    @inline(__always)
    func node(_ number: UInt32) -> UnsafeMutablePointer<RouteNode> { block.pointee.nodes + Int(number) }

    /// Whether the segment's text holds a slash or a backslash. A host never does.
    @inline(__always)
    func isEscaped(_ at: Int) -> Bool {
        at > 0 && (parts.pointee.escapedSlashes &>> UInt64(at &- 1)) & 1 != 0
    }

    /// Leaves a node's alternatives for later.
    @inline(__always)
    private mutating func push(_ position: RoutePosition, _ stage: MatchFrame.Stage) {
        frames[frameCount] = MatchFrame(position, stage, captures: captureCount)
        frameCount &+= 1
    }
}
