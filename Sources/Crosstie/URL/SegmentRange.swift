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

/// The bounds that every URL keeps.
package enum URLLimits {
    /// Bytes of a URL, as given and in its normal form.
    package static var url: Int { 8192 }
    package static var scheme: Int { 128 }
    package static var host: Int { 253 }
    package static var label: Int { 63 }
    package static var segments: Int { 64 }
    package static var pairs: Int { 128 }
    /// Bytes of a parameter's name.
    package static var name: Int { 64 }
    /// Captures of one match.
    package static var captures: Int { 64 }
    /// Bytes that an area may have, so that ranges reach all of it.
    package static var area: Int { 65_535 }
    /// Readable bytes behind the last text of an area: text is loaded in steps of 16.
    package static var slack: Int { 16 }
}
