internal import CPlatform

extension RouteTable {
    /// Finds the route that a URL takes. A URL with a port matches none, because no pattern can name a port: the route
    /// for `h` must not get a request for `h:8443`.
    ///
    /// Call it in a read section: the table's memory has to stay while it runs. It does not allocate.
    ///
    /// - Parameters:
    ///   - parts: of the parsed URL. Captured UUIDs in upper case get their lower-case text in its area.
    ///   - segments: the host and the path segments, as the parser gave them.
    ///   - skip: how many better matches are passed over, for those that have declined.
    ///   - nearest: whether a URL that no route takes goes to the one that takes its longest leading part.
    ///   - captures: room for ``URLLimits/captures``; receives the parameters' ranges, in path order.
    package func match(
        _ parts: UnsafeMutablePointer<URLParts>,
        segments: UnsafePointer<SegmentRange>,
        skip: Int = 0,
        nearest: Bool = false,
        into captures: UnsafeMutablePointer<SegmentRange>
    ) -> MatchResult {
        guard let block, let scheme = Self.scheme(parts, in: block),
            !parts.pointee.flags.contains(.opaque), parts.pointee.port == 0
        else { return MatchResult(.none) }
        return withUnsafeTemporaryAllocation(of: MatchFrame.self, capacity: MatchFrame.room) { frames in
            guard let frames = frames.baseAddress else { return MatchResult(.none) }
            var descent = RouteDescent(
                block: block, parts: parts, segments: segments, captures: captures, frames: frames, from: scheme)
            let isPlain = skip == 0 && parts.pointee.escapedSlashes == 0
            if isPlain, let value = descent.run() {
                return MatchResult(
                    .found, value: value, captures: descent.captureCount, segments: descent.position.at)
            }
            return RouteSearch.run(after: descent, from: scheme, skip: skip, nearest: nearest)
        }
    }

    /// Whether any route has the URL's scheme.
    package func hasScheme(_ parts: UnsafeMutablePointer<URLParts>) -> Bool {
        let name = parts.pointee.text(parts.pointee.scheme)
        guard let block, let bytes = name.baseAddress,
            let scheme = block.literal(block.root, bytes, name.count)?.reference
        else { return false }
        if scheme.isLeaf { return scheme.number != 0 }
        return cp_word_relaxed((block.pointee.nodes + Int(scheme.number)).restWord) != 0
    }

    /// The position behind the URL's scheme, where its host comes.
    @inline(__always)
    static func scheme(
        _ parts: UnsafeMutablePointer<URLParts>, in block: UnsafeMutablePointer<RouteBlock>
    ) -> RoutePosition? {
        guard
            var scheme = block.literal(
                block.root, UnsafeRawPointer(parts.pointee.area), Int(parts.pointee.schemeLength))
        else { return nil }
        scheme.at = 0
        return scheme
    }
}
