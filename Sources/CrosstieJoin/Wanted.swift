/// The target of a request, as exports and imports name it. It borrows the request's bytes.
enum Wanted {
    case action(component: UnsafeRawBufferPointer, UnsafeRawBufferPointer)
    case event(String)
    /// The host, then the path's segments, decoded.
    case url(scheme: UnsafeRawBufferPointer, [UnsafeRawBufferPointer])

    /// Nil for a request that cannot leave.
    init?(_ block: RequestBlock.Pointer) {
        switch block.pointee.kind {
        case .call:
            guard let target = block.target, let action = block.action, !target.isEmpty else { return nil }
            self = .action(component: target, action)
        case .event:
            guard let event = block.action, !event.isEmpty else { return nil }
            self = .event(String(decoding: event, as: UTF8.self))
        case .open: self.init(block.pointee.parts, block.segments)
        case .perform, .share, .oauth, .launch, .activity: return nil
        }
    }

    /// A URL that a route could match.
    private init?(_ parts: URLParts, _ ranges: UnsafePointer<SegmentRange>) {
        guard !parts.flags.contains(.opaque), !parts.flags.contains(.foreign), parts.port == 0 else { return nil }
        let host = parts.text(parts.host)
        self = .url(
            scheme: parts.text(parts.scheme), [host] + (0..<Int(parts.segmentCount)).map { parts.text(ranges[$0 + 1]) })
    }

    /// Calls `body` with the URL that a peer asks for; with nil for one that no route could match.
    static func with<Result>(_ url: UnsafeRawBufferPointer, _ body: (Wanted?) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: URLLimits.area, alignment: 16) { area in
            withUnsafeTemporaryAllocation(of: SegmentRange.self, capacity: URLLimits.segments + 1) { segments in
                guard let start = area.baseAddress, let ranges = segments.baseAddress else { return body(nil) }
                var parts = URLParts(area: start, capacity: area.count)
                let result = parseURL(url, area: start, capacity: area.count, segments: ranges, into: &parts)
                guard case .parsed = result else { return body(nil) }
                return body(Wanted(parts, ranges))
            }
        }
    }
}
