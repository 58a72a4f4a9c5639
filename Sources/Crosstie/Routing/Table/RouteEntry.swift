internal import CPlatform

/// A literal step of the tree: from a node by a segment to a reference. The reference is stored last.
///
/// Two entries fill a cache line and are looked at together.
struct RouteEntry {
    var low: UInt64
    var high: UInt64
    var node: UInt32
    /// The segment's length and whether it is long.
    var size: UInt32
    /// A ``NodeReference``; zero in a free slot.
    var reference: UInt32
    /// The hash's lower half, which distinguishes the two entries of a line.
    var print: UInt32
}
