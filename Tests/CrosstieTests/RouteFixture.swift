@testable import Crosstie

func makePattern(_ text: String, defaultScheme: String? = nil) throws -> Pattern {
    let scheme = defaultScheme.map { Array($0.utf8) }
    return try Array(text.utf8).withUnsafeBytes { bytes in
        guard let scheme else { return try Pattern(bytes) }
        return try scheme.withUnsafeBytes { try Pattern(bytes, defaultScheme: $0) }
    }
}

/// A table of its own, whose values are numbered from 1 in the order of insertion.
final class RouteFixture {
    struct Match: Equatable {
        var pattern: String
        var captures: [String]
        /// The number of the host and the path segments that were taken, where it is not all.
        var taken: Int?
    }

    let table: RouteTable
    private(set) var patterns: [String] = []
    /// The number of moves of the table.
    private(set) var moves = 0

    init(_ patterns: [String] = []) throws {
        guard let table = RouteTable.create() else { throw CrosstieError(.outOfMemory, "no table") }
        self.table = table
        for pattern in patterns { _ = try add(pattern) }
    }

    deinit { table.destroy() }

    func add(_ text: String, replacing: Bool = false) throws -> RouteTable.InsertResult {
        patterns.append(text)
        return try table.insert(
            try makePattern(text), value: UInt32(patterns.count), replacing: replacing, grace: { moves += 1 })
    }

    func remove(_ text: String) throws -> String? {
        table.remove(try makePattern(text)).map { patterns[Int($0) - 1] }
    }

    func result(_ url: ParsedURL, skip: Int = 0, nearest: Bool = false) -> (MatchResult, [String]) {
        withUnsafeTemporaryAllocation(of: SegmentRange.self, capacity: URLLimits.captures) { captures in
            guard let start = captures.baseAddress else { return (MatchResult(.none), []) }
            let result = table.match(
                url.location, segments: url.ranges, skip: skip, nearest: nearest, into: start)
            return (result, (0..<Int(result.captureCount)).map { url.text(captures[$0]) })
        }
    }

    /// The steps of a search for a URL, from its start.
    func steps(_ text: String, nearest: Bool) -> Int {
        let url = ParsedURL(text, capacity: URLLimits.area)
        guard url.result == .parsed, let block = table.block else { return 0 }
        return withUnsafeTemporaryAllocation(of: MatchFrame.self, capacity: MatchFrame.room) { frames in
            withUnsafeTemporaryAllocation(of: SegmentRange.self, capacity: URLLimits.captures) { captures in
                guard let frames = frames.baseAddress, let captures = captures.baseAddress,
                    let scheme = RouteTable.scheme(url.location, in: block)
                else { return 0 }
                let start = RouteDescent(
                    block: block, parts: url.location, segments: url.ranges, captures: captures, frames: frames,
                    from: scheme)
                var search = RouteSearch(after: start, skip: 0)
                if nearest {
                    _ = search.nearest(from: scheme)
                } else {
                    _ = search.walk(from: scheme, noting: false)
                }
                return search.steps
            }
        }
    }

    func hasScheme(_ text: String) -> Bool {
        let url = ParsedURL(text)
        return withExtendedLifetime(url) { table.hasScheme(url.location) }
    }

    func match(_ text: String, skip: Int = 0, nearest: Bool = false) -> Match? {
        let url = ParsedURL(text)
        guard url.result == .parsed else { return nil }
        let (result, captures) = result(url, skip: skip, nearest: nearest)
        guard result.outcome == .found else { return nil }
        let isWhole = Int(result.matchedSegments) == Int(url.parts.segmentCount) + 1
        return Match(
            pattern: patterns[Int(result.value) - 1], captures: captures,
            taken: isWhole ? nil : Int(result.matchedSegments))
    }

    /// All matches of a URL, best first.
    func matches(_ text: String, nearest: Bool = false) -> [String] {
        var found: [String] = []
        while let match = match(text, skip: found.count, nearest: nearest) { found.append(match.pattern) }
        return found
    }
}
