/// A pattern as the steps that the table's tree is walked by: the scheme, the host, then the path's segments.
struct RoutePath {
    /// The host, then the path's segments.
    let segments: UnsafeBufferPointer<PatternSegment>
    let schemeLength: Int
    /// The pattern's storage, with the slack behind it that ``SegmentKey`` reads.
    let text: UnsafeRawPointer

    var count: Int { segments.count + 1 }

    /// Lends the path of a pattern. `nil` never occurs.
    static func with<Result>(_ pattern: Pattern, _ body: (RoutePath) -> Result) -> Result? {
        let size = pattern.storage.count
        return withUnsafeTemporaryAllocation(byteCount: size + URLLimits.slack, alignment: 8) { copy in
            guard let text = copy.baseAddress else { return nil }
            copy.copyBytes(from: pattern.storage)
            (text + size).initializeMemory(as: UInt8.self, repeating: 0, count: URLLimits.slack)
            return pattern.segments.withUnsafeBufferPointer { segments in
                body(
                    RoutePath(segments: segments, schemeLength: pattern.schemeLength, text: UnsafeRawPointer(text)))
            }
        }
    }

    func kind(_ step: Int) -> PatternSegment.Kind { step == 0 ? .literal : segments[step - 1].kind }

    /// The literal text of a step, or its suffix.
    func literal(_ step: Int) -> UnsafeRawBufferPointer {
        guard step > 0 else { return UnsafeRawBufferPointer(start: text, count: schemeLength) }
        let range = segments[step - 1].literal
        return UnsafeRawBufferPointer(start: text + Int(range.offset), count: Int(range.length))
    }

    func rank(_ step: Int) -> RouteItem.Rank { RouteItem.Rank(segments[step - 1]) }

    /// The key of a literal step or of a suffix.
    func key(_ step: Int, _ seeds: RouteSeeds) -> SegmentKey {
        let range = step == 0 ? SegmentRange(from: 0, to: schemeLength) : segments[step - 1].literal
        return SegmentKey(text + Int(range.offset), Int(range.length), seeds: seeds)
    }

    /// The salt of a step to a suffix or typed parameter, `~` or `any`.
    func salt(_ step: Int, _ seeds: RouteSeeds) -> UInt32 {
        let rank = rank(step)
        return rank.isSuffix ? PathHash(word: seeds.start).step(key(step, seeds), seeds).print : rank.word
    }

    /// The hash of the steps up to a step, from that of the steps before it.
    func hash(of step: Int, after hash: PathHash, _ seeds: RouteSeeds) -> PathHash {
        switch kind(step) {
        case .literal: hash.step(key(step, seeds), seeds)
        case .parameter: hash.stepToParameter()
        default: hash.step(salt: salt(step, seeds), seeds)
        }
    }

    /// The most that the path can take of each pool, or more.
    var capacity: RouteCapacity {
        let text = segments.reduce(0) { $0 + Int($1.literal.length) + URLLimits.slack }
        return RouteCapacity(
            entries: count, nodes: count + 1, items: count, text: schemeLength + URLLimits.slack + text)
    }
}
