/// The point at which a search continues when its first attempt fails.
struct MatchFrame {
    /// The children of a node that are still to be tried. For the lists, the next item is named.
    enum Stage: UInt8 {
        case before, parameter, after, rest
    }

    let node: UInt32
    /// ``unread`` at a list's start.
    var item: UInt32
    var stage: Stage
    /// The index of the segment that the node's children match.
    let at: UInt8
    let captures: UInt8

    static var unread: UInt32 { .max }

    /// One for each of the host and the path segments.
    static var room: Int { URLLimits.segments + 1 }

    @inline(__always)
    init(_ position: RoutePosition, _ stage: Stage, captures: Int) {
        (node, item, self.stage) = (position.reference.number, Self.unread, stage)
        at = UInt8(truncatingIfNeeded: position.at)
        self.captures = UInt8(truncatingIfNeeded: captures)
    }
}
