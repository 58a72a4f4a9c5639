/// A parsed URL: the ranges of its parts in the area that holds its normal form.
///
/// It has no references and lives in its caller's memory, beside the area. The area holds the normal form from its
/// first byte on; decoded parts follow it.
package struct URLParts {
    package struct Flags: OptionSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The path does not start with a slash (`mailto:a@b`); there are no segments, and no route matches.
        package static var opaque: Flags { Flags(rawValue: 1) }
        package static var query: Flags { Flags(rawValue: 2) }
        package static var fragment: Flags { Flags(rawValue: 4) }
        /// The scheme is `http` or `https`.
        package static var web: Flags { Flags(rawValue: 8) }
        /// Malformed, but nobody's here: kept as it was given, and not taken apart any further. See ``URLNormalizer/runForeign()``.
        package static var foreign: Flags { Flags(rawValue: 32) }
        /// The query has escapes; ``URLParts/decodedQuery`` holds its pairs.
        package static var decodedQuery: Flags { Flags(rawValue: 16) }
    }

    package var area: UnsafeMutableRawPointer
    /// Bytes of the area.
    package var capacity: UInt32
    /// Bytes of the area that hold text.
    package var used: UInt32
    /// Bytes of the normal form, from the area's start.
    package var normalLength: UInt16
    package var schemeLength: UInt16
    /// In the normal form; an IPv6 address with its brackets.
    package var host: SegmentRange
    /// As the caller wrote it, for captures.
    package var writtenHost: SegmentRange
    /// In the normal form, with the leading slash unless opaque.
    package var path: SegmentRange
    package var query: SegmentRange
    package var fragment: SegmentRange
    /// `key NUL value NUL …`, decoded; only with the flag of that name.
    package var decodedQuery: SegmentRange
    /// Zero for none and for the scheme's default.
    package var port: UInt16
    package var flags: Flags
    /// Path segments, the host not counted; segment k is at index k + 1 of the ranges.
    package var segmentCount: UInt8
    /// Bit k: the decoded path segment k holds `/` or `\`.
    package var escapedSlashes: UInt64

    @inline(__always)
    package init(area: UnsafeMutableRawPointer, capacity: Int) {
        self.area = area
        self.capacity = UInt32(truncatingIfNeeded: min(capacity, URLLimits.area))
        used = 0
        normalLength = 0
        schemeLength = 0
        host = SegmentRange()
        writtenHost = SegmentRange()
        path = SegmentRange()
        query = SegmentRange()
        fragment = SegmentRange()
        decodedQuery = SegmentRange()
        port = 0
        flags = []
        segmentCount = 0
        escapedSlashes = 0
    }

    @inline(__always)
    package var scheme: SegmentRange {
        // A URL that is kept unchanged has its scheme in lower case behind it.
        SegmentRange(offset: flags.contains(.foreign) ? normalLength : 0, length: schemeLength)
    }

    @inline(__always)
    package var normalForm: SegmentRange { SegmentRange(offset: 0, length: normalLength) }

    /// The bytes of a range; they live as long as the area.
    @inline(__always)
    package func text(_ range: SegmentRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: area + Int(range.offset), count: Int(range.length))
    }
}
