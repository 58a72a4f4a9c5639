internal import CPlatform

/// Where a search goes on when what it tried first leads nowhere.
struct MatchFrame {
    /// What of a node is still to be tried. For the lists, the next item is named.
    enum Stage: UInt8 {
        case before, parameter, after, rest
    }

    var node: UInt32
    var item: UInt32
    var stage: Stage
    /// The index of the segment that the node's children match.
    var at: UInt8
    var captures: UInt8

    /// One for each of the host and the path segments.
    static var room: Int { URLLimits.segments + 1 }
}

/// One walk of a URL over the tree, best alternatives first, with a stack of what is left to try.
struct RouteSearch {
    let block: UnsafeMutablePointer<RouteBlock>
    let parts: UnsafeMutablePointer<URLParts>
    /// The host and the path segments.
    let segments: UnsafePointer<SegmentRange>
    let captures: UnsafeMutablePointer<SegmentRange>
    let frames: UnsafeMutablePointer<MatchFrame>
    let area: UnsafeRawPointer
    /// How many of the URL's segments are to be matched, with the host.
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

    @inline(__always)
    init(
        block: UnsafeMutablePointer<RouteBlock>, parts: UnsafeMutablePointer<URLParts>,
        segments: UnsafePointer<SegmentRange>, captures: UnsafeMutablePointer<SegmentRange>,
        frames: UnsafeMutablePointer<MatchFrame>, skip: Int
    ) {
        (self.block, self.parts, self.segments) = (block, parts, segments)
        (self.captures, self.frames, self.skip) = (captures, frames, skip)
        area = UnsafeRawPointer(parts.pointee.area)
        count = Int(parts.pointee.segmentCount) &+ 1
    }

    /// The best route for the whole URL.
    @inline(__always)
    mutating func exact(from scheme: NodeReference) -> MatchResult {
        walk(from: scheme, noting: false) ?? last(scheme)
    }

    /// Walks the tree with the first ``count`` segments. `nil` when no route takes them.
    ///
    /// - Parameter noting: whether ``ancestors`` are noted on the way. A constant, so that exact matches do not pay.
    @inline(__always)
    mutating func walk(from scheme: NodeReference, noting: Bool) -> MatchResult? {
        var reference = scheme
        var at = 0
        while true {
            steps &+= 1
            if at == count {
                if let value = accept(value(of: reference)) { return found(value) }
            } else if !reference.isLeaf {
                if noting { note(reference, at) }
                if let next = literal(reference, at) {
                    (reference, at) = (next, at &+ 1)
                    continue
                }
                if reference.hasOther {
                    push(reference.number, at, first: true)
                } else if reference.hasParameter, let next = parameter(of: node(reference.number), at) {
                    // Nothing else is left to try here.
                    (reference, at) = (next, at &+ 1)
                    continue
                }
            } else if noting {
                note(reference, at)
            }
            guard let next = nextAlternative(&at, noting: noting) else { return nil }
            guard steps < Self.budget else { return MatchResult(.limit) }
            if let value = next.route { return found(value) }
            reference = next.reference
        }
    }

    /// What comes when the tree has no more: the scheme's own route.
    @inline(never)
    mutating func last(_ scheme: NodeReference) -> MatchResult {
        (captureCount, upperUUIDs, count) = (0, 0, 0)
        guard let value = accept(value(of: scheme)) else { return MatchResult(.none) }
        return found(value)
    }

    @inline(__always)
    func value(of reference: NodeReference) -> UInt32 {
        reference.isLeaf ? reference.number : cp_word_relaxed(node(reference.number).valueWord)
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

    /// The literal child, with the other children left on the stack.
    @inline(__always)
    private mutating func literal(_ reference: NodeReference, _ at: Int) -> NodeReference? {
        guard reference.hasLiteral, !isEscaped(at) else { return nil }
        let range = segments[at]
        let bytes = area + Int(range.offset)
        if range.length > 16 { steps &+= Int(range.length) &>> 6 }
        let key = SegmentKey(bytes, Int(range.length), seeds: block.pointee.seeds)
        guard let entry = block.pointee.find(reference.number, key, bytes) else { return nil }
        if reference.hasAlternatives { push(reference.number, at, first: reference.hasOther) }
        return NodeReference(word: cp_word_relaxed(entry.referenceWord))
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
    private mutating func push(_ number: UInt32, _ at: Int, first hasOther: Bool) {
        let item = hasOther ? cp_word_acquire(node(number).beforeWord) : 0
        frames[frameCount] = MatchFrame(
            node: number, item: item, stage: item == 0 ? .parameter : .before, at: UInt8(truncatingIfNeeded: at),
            captures: UInt8(truncatingIfNeeded: captureCount))
        frameCount &+= 1
    }
}
