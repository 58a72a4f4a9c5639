internal import CPlatform

/// Parses a URL into its normal form.
///
/// Plain URLs (lower-case ASCII, nothing to encode or decode, an authority without port) take one pass over
/// blocks of 16 bytes; all others ``URLNormalizer``, which also finds out what is wrong with bad ones.
///
/// - Parameters:
///   - input: the URL, as it was given. Not kept.
///   - area: receives the normal form and decoded text.
///   - capacity: bytes of the area, at most ``URLLimits/area`` are used.
///   - segments: room for 65 ranges; receives the host (normal form), then the decoded path segments.
///   - parts: receives the rest, when the answer is *parsed*.
@inline(__always)
package func parseURL(
    _ input: UnsafeRawBufferPointer,
    area: UnsafeMutableRawPointer,
    capacity: Int,
    segments: UnsafeMutablePointer<SegmentRange>,
    into parts: UnsafeMutablePointer<URLParts>
) -> ParseResult {
    if PlainURL.parse(input, area: area, capacity: capacity, segments: segments, into: parts) { return .parsed }
    return URLNormalizer.parse(input, area: area, capacity: capacity, segments: segments, into: parts)
}

/// The scan's state from one run of 64 bytes to the next.
private struct PathScan {
    let segments: UnsafeMutablePointer<SegmentRange>
    var segmentCount = 0
    var pathStart = 0
    /// Where the next segment starts.
    var start = 0
    /// Where the path ends, or -1 while that has not been seen.
    var pathEnd = -1
    var fragment = -1
    /// Where an authority without a path ends, or -1.
    var authorityEnd = -1

    @inline(__always)
    init(segments: UnsafeMutablePointer<SegmentRange>) { self.segments = segments }

    /// Scheme and host, which must be in the first 64 bytes, and the part of the path that is.
    @inline(__always)
    mutating func head(
        _ bytes: PlainURL.Bytes, _ count: Int, _ parts: UnsafeMutablePointer<URLParts>
    ) -> Bool {
        let size = min(count, 64)
        let masks = cp_scan_url(bytes, UInt32(truncatingIfNeeded: size))
        let colon = masks.colon.trailingZeroBitCount
        guard colon &- 1 < 16, colon > 0, (masks.slash >> UInt64(colon &+ 1)) & 3 == 3 else { return false }
        let schemeBits: UInt32 = (1 << UInt32(colon)) &- 1
        guard cp_scan_name(bytes) & schemeBits == schemeBits, bytes[0] >= 0x61 else { return false }
        let hostStart = colon &+ 3
        let behind = masks.slash & (~0 << UInt64(hostStart))
        let stops = masks.question | masks.hash
        guard behind != 0, behind.trailingZeroBitCount < stops.trailingZeroBitCount else {
            noteEnd(stops, count)
            return false
        }
        pathStart = behind.trailingZeroBitCount
        let host: UInt64 = ~0 << UInt64(hostStart)
        let authority = ((1 << UInt64(pathStart)) &- 1) & host
        guard (masks.colon | stops) & authority == 0,
            isPlainHost(bytes, from: hostStart, to: pathStart, web: isWeb(bytes, colon))
        else { return false }
        parts.pointee.schemeLength = UInt16(truncatingIfNeeded: colon)
        parts.pointee.host = SegmentRange(from: hostStart, to: pathStart)
        if isWeb(bytes, colon) { parts.pointee.flags = .web }
        segments[0] = parts.pointee.host
        start = pathStart &+ 1
        return take(masks, slashes: behind & (behind &- 1), at: 0, size: size, bytes)
    }

    /// Notes where an authority ends that no slash follows in the first 64 bytes.
    private mutating func noteEnd(_ stops: UInt64, _ count: Int) {
        guard stops != 0 || count < 64 else { return }
        authorityEnd = stops == 0 ? count : stops.trailingZeroBitCount
    }

    @inline(__always)
    mutating func rest(_ bytes: PlainURL.Bytes, _ count: Int) -> Bool {
        var at = 64
        while at < count {
            let size = min(count &- at, 64)
            let masks = cp_scan_url(bytes + at, UInt32(truncatingIfNeeded: size))
            guard take(masks, slashes: masks.slash, at: at, size: size, bytes) else { return false }
            at &+= 64
        }
        return true
    }

    /// Takes the segments that end in one run.
    @inline(__always)
    private mutating func take(
        _ masks: cp_url_masks, slashes: UInt64, at base: Int, size: Int, _ bytes: PlainURL.Bytes
    ) -> Bool {
        guard masks.odd & (~0 >> UInt64(64 &- size)) == 0 else { return false }
        if pathEnd < 0 {
            let stop = masks.question | masks.hash
            // Everything below the first stop bit; everything where there is none.
            var ends = slashes & (stop ^ (stop &- 1))
            if stop == 0 { ends = slashes }
            while ends != 0 {
                guard add(upTo: base &+ ends.trailingZeroBitCount, bytes) else { return false }
                ends &= ends &- 1
            }
            if stop != 0 { pathEnd = base &+ stop.trailingZeroBitCount }
        }
        guard masks.hash != 0 else { return true }
        guard fragment < 0, masks.hash & (masks.hash &- 1) == 0 else { return false }
        fragment = base &+ masks.hash.trailingZeroBitCount
        return true
    }

    @inline(__always)
    private mutating func add(upTo end: Int, _ bytes: PlainURL.Bytes) -> Bool {
        guard segmentCount < URLLimits.segments, !isDots(bytes, end) else { return false }
        segmentCount &+= 1
        segments[segmentCount] = SegmentRange(from: start, to: end)
        start = end &+ 1
        return true
    }

    /// Whether the segment from `start` is `.` or `..`.
    @inline(__always)
    private func isDots(_ bytes: PlainURL.Bytes, _ end: Int) -> Bool {
        bytes[start] == 0x2E && (end &- start == 1 || (end &- start == 2 && bytes[start &+ 1] == 0x2E))
    }

    @inline(__always)
    mutating func finish(_ bytes: PlainURL.Bytes, _ count: Int, _ parts: UnsafeMutablePointer<URLParts>) -> Bool {
        let end = pathEnd < 0 ? count : pathEnd
        // One trailing slash is ignored.
        if start < end, !add(upTo: end, bytes) { return false }
        parts.pointee.path = SegmentRange(from: pathStart, to: end)
        parts.pointee.segmentCount = UInt8(truncatingIfNeeded: segmentCount)
        parts.pointee.normalLength = UInt16(truncatingIfNeeded: count)
        parts.pointee.used = UInt32(truncatingIfNeeded: count)
        parts.pointee.writtenHost = parts.pointee.host
        return end == count || tail(bytes, from: end, count, parts)
    }

    /// Query and fragment.
    @inline(__always)
    private func tail(
        _ bytes: PlainURL.Bytes, from end: Int, _ count: Int, _ parts: UnsafeMutablePointer<URLParts>
    ) -> Bool {
        let queryEnd = fragment < 0 ? count : fragment
        if bytes[end] == 0x3F {
            parts.pointee.query = SegmentRange(from: end &+ 1, to: queryEnd)
            parts.pointee.flags.insert(.query)
        }
        if fragment >= 0 {
            parts.pointee.fragment = SegmentRange(from: fragment &+ 1, to: count)
            parts.pointee.flags.insert(.fragment)
        }
        guard queryEnd &- end > 2 * URLLimits.pairs else { return true }
        let query = UnsafeRawBufferPointer(start: bytes + end + 1, count: queryEnd &- end &- 1)
        return Query.firstSurplusPair(query) == nil
    }

    @inline(__always)
    private func isWeb(_ bytes: PlainURL.Bytes, _ schemeLength: Int) -> Bool {
        guard schemeLength == 4 || schemeLength == 5 else { return false }
        let four = UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
        return four == 0x7074_7468 && (schemeLength == 4 || bytes[4] == 0x73)
    }

    /// Hosts with dots or hyphens are looked at byte by byte.
    @inline(__always)
    private func isPlainHost(_ bytes: PlainURL.Bytes, from start: Int, to end: Int, web: Bool) -> Bool {
        var at = start
        while at < end {
            let valid: UInt32 = end &- at >= 16 ? 0xFFFF : (1 << UInt32(end &- at)) &- 1
            if cp_scan_name(bytes + at) & valid != valid { return isDottedHost(bytes, from: start, to: end, web: web) }
            at &+= 16
        }
        return !web || isDottedHost(bytes, from: start, to: end, web: web)
    }

    @inline(never)
    private func isDottedHost(_ bytes: PlainURL.Bytes, from start: Int, to end: Int, web: Bool) -> Bool {
        let host = UnsafeRawBufferPointer(start: bytes + start, count: end &- start)
        guard !host.contains(where: { $0 &- 0x41 < 26 }) else { return false }
        return HostName.problem(in: host, web: web) == nil
    }
}
