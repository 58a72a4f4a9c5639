/// Routes for a part of the URL, when none takes the whole.
extension RouteSearch {
    /// The best route for the whole URL; then those for its leading parts, the longest first, each part's by
    /// precedence; the scheme's own route comes last.
    ///
    /// A walk notes how long the parts are that routes take, so that only those are walked again.
    @inline(never)
    mutating func nearest(from scheme: RoutePosition) -> MatchResult {
        // Nodes passed by a descent were not recorded.
        (frameCount, captureCount) = (0, 0)
        while true {
            if let result = walk(from: scheme, noting: true) { return result }
            guard ancestors != 0 else { return last(scheme) }
            let top = 63 &- ancestors.leadingZeroBitCount
            ancestors ^= 1 << UInt64(top)
            (count, captureCount, upperUUIDs) = (top &+ 1, 0, 0)
        }
    }

    /// Notes that a route ends at a position, if one does.
    @inline(__always)
    mutating func note(_ position: RoutePosition) {
        guard position.at > 0, block.value(of: position.reference) != 0 else { return }
        ancestors |= 1 << UInt64(position.at &- 1)
    }
}
