/// The result of matching a URL.
package struct MatchResult: Equatable {
    package enum Outcome: UInt8 {
        case found, none
        /// The step budget ran out: nothing can be said about the URL.
        case limit
        /// The URL's area has no room for lower-cased captures; parse again into a larger one.
        case needsRoom
    }

    package let outcome: Outcome
    package let captureCount: UInt8
    /// The number of the host and the path segments that the route took: all of them, fewer for an ancestor, and none
    /// for the scheme's own route.
    package let matchedSegments: UInt8
    /// The route's value; for *needsRoom*, the bytes that the area has to have. Otherwise zero.
    package let value: UInt32

    @inline(__always)
    init(_ outcome: Outcome, value: UInt32 = 0, captures: Int = 0, segments: Int = 0) {
        self.outcome = outcome
        self.value = value
        captureCount = UInt8(truncatingIfNeeded: captures)
        matchedSegments = UInt8(truncatingIfNeeded: segments)
    }
}
