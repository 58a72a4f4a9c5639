/// A piece of text in an area, counted in bytes from the area's start.
///
/// Sixteen bits reach, for a URL's area never grows past ``URLLimits/area``.
package struct SegmentRange: Equatable, Sendable {
    package var offset: UInt16
    package var length: UInt16

    @inline(__always)
    package init(offset: UInt16 = 0, length: UInt16 = 0) {
        self.offset = offset
        self.length = length
    }

    /// From bounds that the parser has checked against the area.
    @inline(__always)
    init(from start: Int, to end: Int) {
        self.init(offset: UInt16(truncatingIfNeeded: start), length: UInt16(truncatingIfNeeded: end &- start))
    }

    @inline(__always)
    package var end: Int { Int(offset) &+ Int(length) }
}
