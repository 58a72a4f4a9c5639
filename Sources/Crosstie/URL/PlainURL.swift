/// The one-pass reading of URLs that are their own normal form.
enum PlainURL {
    typealias Bytes = UnsafePointer<UInt8>

    /// False when the URL is not plain, not valid or does not fit; nothing is decided then.
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
        if scan.head(bytes, count, parts) { return scan.rest(bytes, count) && scan.finish(bytes, count, parts) }
        let end = scan.authorityEnd
        // The slack's last byte moves one further.
        guard end >= 0, count &+ 1 &+ URLLimits.slack <= capacity, count < URLLimits.url else { return false }
        insertSlash(bytes, at: end, count)
        scan = PathScan(segments: segments)
        return scan.head(bytes, count &+ 1, parts) && scan.rest(bytes, count &+ 1)
            && scan.finish(bytes, count &+ 1, parts)
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
