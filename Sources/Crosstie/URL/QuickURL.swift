/// The one-pass reading of good URLs in lower-case ASCII: of those that are their own normal form, and of those with
/// escapes.
enum QuickURL {
    typealias Bytes = UnsafePointer<UInt8>

    /// False when the URL is another one, not valid, or does not fit; nothing is decided then.
    static func parse(
        _ input: UnsafeRawBufferPointer, area: UnsafeMutableRawPointer, capacity: Int,
        segments: UnsafeMutablePointer<SegmentRange>, into parts: UnsafeMutablePointer<URLParts>
    ) -> Bool {
        let count = input.count
        guard let source = input.baseAddress, count &+ URLLimits.slack <= capacity, count <= URLLimits.url else {
            return false
        }
        area.copyMemory(from: source, byteCount: count)
        area.storeBytes(of: 0, toByteOffset: count, as: UInt64.self)
        area.storeBytes(of: 0, toByteOffset: count &+ 8, as: UInt64.self)
        let bytes = area.assumingMemoryBound(to: UInt8.self)
        parts.initialize(to: URLParts(area: area, capacity: capacity))
        var scan = PathScan(segments: segments)
        if scan.read(bytes, count, parts) { return true }
        let end = scan.authorityEnd
        guard end >= 0 else { return escaped(bytes, count, after: scan, capacity, parts) }
        // The slack's last byte moves one further.
        guard count &+ 1 &+ URLLimits.slack <= capacity, count < URLLimits.url else { return false }
        insertSlash(bytes, at: end, count)
        scan = PathScan(segments: segments)
        return scan.read(bytes, count &+ 1, parts) || escaped(bytes, count &+ 1, after: scan, capacity, parts)
    }

    /// Where scheme and host are plain ones, the rest may have escapes.
    @inline(__always)
    private static func escaped(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, after scan: PathScan, _ capacity: Int,
        _ parts: UnsafeMutablePointer<URLParts>
    ) -> Bool {
        scan.pathStart >= 0
            && EscapedURL.parse(
                bytes, count, pathStart: scan.pathStart, capacity: capacity, segments: scan.segments, into: parts)
    }

    /// An empty path behind an authority is a slash in the normal form. The following bytes and the slack move on.
    @inline(never)
    private static func insertSlash(_ bytes: UnsafeMutablePointer<UInt8>, at end: Int, _ count: Int) {
        let rest = bytes + end
        let moved = count &- end &+ URLLimits.slack
        (rest + 1).update(from: rest, count: moved)
        rest.pointee = 0x2F
    }
}
