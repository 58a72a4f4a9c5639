import Crosstie

/// A URL's normal form and parts as text.
struct ParsedURL {
    let text: String
    let scheme: String
    /// Empty for none.
    let host: String
    /// Nil for none and for the scheme's default.
    let port: UInt16?
    /// Percent-encoded.
    let path: String
    /// Decoded; empty also for a path that does not begin with a slash.
    let segments: [String]
    /// Decoded.
    let query: [(name: String, value: String)]
    /// Percent-encoded; nil for none.
    let fragment: String?

    init(_ url: String) throws(ParseFailure) {
        self = try ParsedURL.parse(Array(url.utf8), capacity: url.utf8.count + URLLimits.slack)
    }

    private static func parse(_ url: [UInt8], capacity: Int) throws(ParseFailure) -> ParsedURL {
        let area = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        let segments = UnsafeMutablePointer<SegmentRange>.allocate(capacity: URLLimits.segments + 1)
        defer {
            area.deallocate()
            segments.deallocate()
        }
        var parts = URLParts(area: area, capacity: capacity)
        let result = url.withUnsafeBytes { bytes in
            parseURL(bytes, area: area, capacity: capacity, segments: segments, into: &parts)
        }
        switch result {
        case .parsed: return ParsedURL(parts, segments)
        case .needs(let size): return try parse(url, capacity: size)
        case .failed(let failure): throw failure
        }
    }

    private init(_ parts: URLParts, _ ranges: UnsafeMutablePointer<SegmentRange>) {
        func text(_ range: SegmentRange) -> String { String(decoding: parts.text(range), as: UTF8.self) }
        self.text = text(parts.normalForm)
        scheme = text(parts.scheme)
        host = text(parts.host)
        port = parts.port == 0 ? nil : parts.port
        path = text(parts.path)
        segments = (0..<Int(parts.segmentCount)).map { text(ranges[$0 + 1]) }
        var pairs = Query(of: parts)
        query = Array(sequence(state: ()) { _ in pairs.next() }).map { (text($0.key), text($0.value)) }
        fragment = parts.flags.contains(.fragment) ? text(parts.fragment) : nil
    }
}
