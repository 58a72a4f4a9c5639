/// The one-pass reading of good URLs whose path, query or fragment has escapes.
///
/// The area holds a copy of the URL, of which scheme and host have been read, with ``URLLimits/slack`` behind it. The
/// normal form is never longer here and replaces the copy; decoded text follows behind the slack. The text between two
/// stops is moved and copied in one piece. All other URLs, and bad ones, are left to the careful reading.
struct EscapedURL {
    let bytes: UnsafeMutablePointer<UInt8>
    /// Bytes of the copy.
    let count: Int
    /// Where decoded text has to end at the latest.
    let limit: Int
    let segments: UnsafeMutablePointer<SegmentRange>
    let parts: UnsafeMutablePointer<URLParts>
    /// The next byte of the copy to take.
    var at: Int
    /// By how many bytes the normal form is shorter, up to here.
    var shift = 0
    /// Where the next decoded byte goes.
    var decodedEnd: Int
    /// Whether what is taken is decoded, too.
    var decodes = false
    /// Whether the part has an escape that its normal form keeps.
    var hasEscape = false
    /// Of the bytes that the last escapes stand for.
    var characters = UTF8Validator()
    private var segmentCount = 0
    /// Where the next segment starts, in the text that holds the segments.
    private var start: Int

    /// False when the URL is not a good one or does not fit; nothing is decided then, and the area holds no copy.
    @inline(never)
    static func parse(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, pathStart: Int, capacity: Int,
        segments: UnsafeMutablePointer<SegmentRange>, into parts: UnsafeMutablePointer<URLParts>
    ) -> Bool {
        var url = EscapedURL(
            bytes: bytes, count: count, limit: capacity &- URLLimits.slack, segments: segments, parts: parts,
            at: pathStart &+ 1, decodedEnd: count &+ URLLimits.slack, start: pathStart &+ 1)
        guard url.path(from: pathStart), url.query(), url.fragment() else { return false }
        url.finish()
        return true
    }

    @inline(__always)
    private mutating func path(from begin: Int) -> Bool {
        guard decodedEnd &+ count &- begin <= limit else { return false }
        var stops = StopScan(bytes, from: at, to: count, (0x2F, 0x3F, 0x23))
        while true {
            let stop = stops.next()
            guard take(upTo: stop) else { return false }
            let byte = stop < count ? bytes[stop] : 0x3F
            if byte == 0x25 {
                guard segmentEscape(of: begin) else { return false }
                continue
            }
            if byte == 0x3F || byte == 0x23 { break }
            guard byte == 0x2F, addSegment(), delimiter() else { return false }
            if decodes { putDecoded(0x2F) }
        }
        // One trailing slash is ignored.
        guard characters.isComplete, start == position || addSegment() else { return false }
        parts.pointee.path = SegmentRange(from: begin, to: at &- shift)
        parts.pointee.segmentCount = UInt8(truncatingIfNeeded: segmentCount)
        decodes = false
        return true
    }

    /// Where the next byte of the segments' text goes.
    @inline(__always)
    private var position: Int { decodes ? decodedEnd : at &- shift }

    /// Takes the segment that ends here.
    @inline(__always)
    private mutating func addSegment() -> Bool {
        let end = position
        guard segmentCount < URLLimits.segments, !isDots(start, end &- start) else { return false }
        segmentCount &+= 1
        segments[segmentCount] = SegmentRange(from: start, to: end)
        start = end &+ 1
        return true
    }

    @inline(__always)
    private func isDots(_ start: Int, _ size: Int) -> Bool {
        (size == 1 || (size == 2 && bytes[start &+ 1] == 0x2E)) && bytes[start] == 0x2E
    }

    @inline(__always)
    private mutating func segmentEscape(of begin: Int) -> Bool {
        let byte = escapedByte
        guard !ASCII.isControl(byte), characters.take(byte) else { return false }
        if !decodes, !ASCII.isUnreserved(byte) { decodeSegments(from: begin &+ 1) }
        if byte == 0x2F || byte == 0x5C { parts.pointee.escapedSlashes |= 1 << UInt64(segmentCount) }
        return escape(byte)
    }

    /// From here on segments are decoded: all of the path, so that any run of them is one piece of text.
    @inline(__always)
    private mutating func decodeSegments(from begin: Int) {
        let moved = decodedEnd &- begin
        copy(from: begin, count: at &- shift &- begin)
        for index in stride(from: 1, through: segmentCount, by: 1) {
            segments[index].offset &+= UInt16(truncatingIfNeeded: moved)
        }
        start &+= moved
        decodes = true
    }

    private func finish() {
        let normal = count &- shift
        parts.pointee.normalLength = UInt16(truncatingIfNeeded: normal)
        parts.pointee.writtenHost = parts.pointee.host
        // Nothing has been decoded where the decoded text still ends at its start.
        let used = decodedEnd == count &+ URLLimits.slack ? normal : decodedEnd
        parts.pointee.used = UInt32(truncatingIfNeeded: used)
        UnsafeMutableRawPointer(bytes + used).storeBytes(of: 0, as: UInt64.self)
        UnsafeMutableRawPointer(bytes + used + 8).storeBytes(of: 0, as: UInt64.self)
    }
}
