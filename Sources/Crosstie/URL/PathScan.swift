internal import CPlatform

/// The reading of a URL that is its own normal form; its state from one run of 64 bytes to the next.
struct PathScan {
    let segments: UnsafeMutablePointer<SegmentRange>
    private var segmentCount = 0
    /// Where the path begins, or -1 where scheme and host are not plain ones.
    private(set) var pathStart = -1
    /// Where the next segment starts.
    private var start = 0
    /// Where the path ends, or -1 while that has not been seen.
    private var pathEnd = -1
    private var fragment = -1
    /// Where an authority without a path ends, or -1.
    private(set) var authorityEnd = -1

    @inline(__always)
    init(segments: UnsafeMutablePointer<SegmentRange>) { self.segments = segments }

    /// False when the URL is not plain, or not valid; nothing is decided then.
    @inline(__always)
    mutating func read(
        _ bytes: QuickURL.Bytes, _ count: Int, _ parts: UnsafeMutablePointer<URLParts>
    ) -> Bool {
        head(bytes, count, parts) && rest(bytes, count) && finish(bytes, count, parts)
    }

    /// Scheme and host, which must be in the first 64 bytes, and the part of the path that is.
    @inline(__always)
    private mutating func head(
        _ bytes: QuickURL.Bytes, _ count: Int, _ parts: UnsafeMutablePointer<URLParts>
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
        let hostEnd = behind.trailingZeroBitCount
        let host: UInt64 = ~0 << UInt64(hostStart)
        let authority = ((1 << UInt64(hostEnd)) &- 1) & host
        guard (masks.colon | stops) & authority == 0,
            isPlainHost(bytes, from: hostStart, to: hostEnd, web: isWeb(bytes, colon))
        else { return false }
        pathStart = hostEnd
        parts.pointee.schemeLength = UInt16(truncatingIfNeeded: colon)
        parts.pointee.host = SegmentRange(from: hostStart, to: hostEnd)
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
    private mutating func rest(_ bytes: QuickURL.Bytes, _ count: Int) -> Bool {
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
        _ masks: cp_url_masks, slashes: UInt64, at base: Int, size: Int, _ bytes: QuickURL.Bytes
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
    private mutating func add(upTo end: Int, _ bytes: QuickURL.Bytes) -> Bool {
        guard segmentCount < URLLimits.segments, !isDots(bytes, end) else { return false }
        segmentCount &+= 1
        segments[segmentCount] = SegmentRange(from: start, to: end)
        start = end &+ 1
        return true
    }

    /// Whether the segment from `start` is `.` or `..`.
    @inline(__always)
    private func isDots(_ bytes: QuickURL.Bytes, _ end: Int) -> Bool {
        bytes[start] == 0x2E && (end &- start == 1 || (end &- start == 2 && bytes[start &+ 1] == 0x2E))
    }

    @inline(__always)
    private mutating func finish(
        _ bytes: QuickURL.Bytes, _ count: Int, _ parts: UnsafeMutablePointer<URLParts>
    ) -> Bool {
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
        _ bytes: QuickURL.Bytes, from end: Int, _ count: Int, _ parts: UnsafeMutablePointer<URLParts>
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
    private func isWeb(_ bytes: QuickURL.Bytes, _ schemeLength: Int) -> Bool {
        guard schemeLength == 4 || schemeLength == 5 else { return false }
        let four = UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
        return four == 0x7074_7468 && (schemeLength == 4 || bytes[4] == 0x73)
    }

    /// Hosts with dots or hyphens are looked at byte by byte.
    @inline(__always)
    private func isPlainHost(_ bytes: QuickURL.Bytes, from start: Int, to end: Int, web: Bool) -> Bool {
        var at = start
        while at < end {
            let valid: UInt32 = end &- at >= 16 ? 0xFFFF : (1 << UInt32(end &- at)) &- 1
            if cp_scan_name(bytes + at) & valid != valid { return isDottedHost(bytes, from: start, to: end, web: web) }
            at &+= 16
        }
        return !web || isDottedHost(bytes, from: start, to: end, web: web)
    }

    @inline(never)
    private func isDottedHost(_ bytes: QuickURL.Bytes, from start: Int, to end: Int, web: Bool) -> Bool {
        let host = UnsafeRawBufferPointer(start: bytes + start, count: end &- start)
        guard !host.contains(where: { $0 &- 0x41 < 26 }) else { return false }
        return HostName.problem(in: host, web: web) == nil
    }
}
